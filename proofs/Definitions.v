(** Rankings and metrics as the paper defines them.

    A ranking is a list of documents, a document is a function from aspects to relevance, and a metric of the `Sum`
    family is, with ranks counted from 1,

      Q(d) = sum_i  D(i) * ( sum_t  w(t) * r(d_i, t) * nu(i, t)  -  e )

    where nu(i, t) depends on the relevance to t of the documents above rank i. *)

From Coq Require Import Reals List Lia Lra.
Import ListNotations.
Open Scope R_scope.

(** ** Rankings *)

Definition aspect := nat.                  (* the aspects of a query are 0, 1, ..., T - 1 *)
Definition document := aspect -> R.        (* r(d, t) *)
Definition ranking := list document.
Definition weights := aspect -> R.         (* w(t) *)

(** A metric: Q of the number of aspects, their weights and a ranking. *)
Definition metric := nat -> weights -> ranking -> R.

(** sum_{i < n} f(i) *)
Fixpoint sum_to (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum_to m f + f m
  end.

Fixpoint sum_list (l : list R) : R :=
  match l with
  | [] => 0
  | r :: rest => r + sum_list rest
  end.

(** The relevance of each document of a ranking to one aspect. *)
Definition column (t : aspect) (d : ranking) : list R := map (fun x => x t) d.

(** d_i, for i = 0, 1, ...; beyond the end, a document that is relevant to nothing. *)
Definition nothing : document := fun _ => 0.
Definition at_rank (d : ranking) (i : nat) : document := nth i d nothing.

(** A document about one aspect only. *)
Definition about (t : aspect) (r : R) : document := fun u => if Nat.eqb u t then r else 0.

(** ** Novelty: the remaining gain, from the relevance of the documents above *)

(** 1: repeated relevance is not penalised. *)
Definition always (above : list R) : R := 1.

(** Pi_{j < i} (1 - r_j), as in ERR and RBU. *)
Fixpoint cascade (above : list R) : R :=
  match above with
  | [] => 1
  | r :: rest => (1 - r) * cascade rest
  end.

(** c: the number of relevant documents above. *)
Fixpoint count_relevant (above : list R) : nat :=
  match above with
  | [] => O
  | r :: rest => if Rlt_dec 0 r then S (count_relevant rest) else count_relevant rest
  end.

(** (1 - alpha)^c, as in alpha-nDCG. *)
Definition decay (alpha : R) (above : list R) : R := (1 - alpha) ^ count_relevant above.

(** The same, but 0 once the relevance above adds up to the limit: the Cube Test's full cube. *)
Definition cube (alpha limit : R) (above : list R) : R :=
  if Rlt_dec (sum_list above) limit then decay alpha above else 0.

(** ** Discounts: how much rank i counts, i = 1, 2, ... *)

Definition geometric (p : R) (i : nat) : R := p ^ i.                            (* RBU *)
Definition geometric0 (p : R) (i : nat) : R := p ^ (i - 1).                     (* NRBP *)
Definition patient (p : R) (i : nat) : R := (1 - p) * p ^ (i - 1).              (* RBP *)
Definition reciprocal (i : nat) : R := / INR i.                                 (* ERR, CT *)
Definition log2 (x : R) : R := ln x / ln 2.
Definition logarithmic (i : nat) : R := / log2 (INR i + 1).                     (* DCG *)
Definition shifted_log (i : nat) : R := / (1 + log2 (INR i)).                   (* EU *)

(** ** The sum that defines most metrics *)

(** Metrics take each aspect with its weight, or all with weight 1. *)
Definition given (w : weights) : weights := w.
Definition uniform (w : weights) : weights := fun _ => 1.

Record sum := Sum {
  weigh : weights -> weights;
  discount : nat -> R;
  novelty : list R -> R;
  effort : R
}.

(** The contribution of rank i + 1: sum_t w(t) * r(d_i, t) * nu(i, t) - e. *)
Definition gain (m : sum) (T : nat) (w : weights) (d : ranking) (i : nat) : R :=
  sum_to T (fun t => weigh m w t * at_rank d i t * novelty m (column t (firstn i d))) - effort m.

Definition score (m : sum) : metric := fun T w d =>
  sum_to (length d) (fun i => discount m (S i) * gain m T w d i).

(** r(d) = max_t r(d, t), the relevance in a metric without aspects. *)
Fixpoint overall (T : nat) (d : document) : R :=
  match T with
  | O => 0
  | S T' => Rmax (overall T' d) (d T')
  end.

(** The metric applied to the overall relevance, as one aspect of weight 1. *)
Definition without_aspects (Q : metric) : metric := fun T _ d =>
  Q 1%nat (fun _ => 1) (map (fun x _ => overall T x) d).

(** The first k documents only. *)
Definition cut (k : nat) (Q : metric) : metric := fun T w d => Q T w (firstn k d).

(** ** The metrics *)

Definition RBU (p e : R) : metric := score (Sum given (geometric p) cascade e).
Definition RBP_IA (p : R) : metric := score (Sum given (patient p) always 0).
Definition RBP (p : R) : metric := without_aspects (RBP_IA p).
Definition ERR_IA : metric := score (Sum given reciprocal cascade 0).
Definition ERR : metric := without_aspects ERR_IA.
Definition NRBP (p alpha : R) : metric := score (Sum uniform (geometric0 p) (decay alpha) 0).
Definition alpha_DCG (alpha : R) : metric := score (Sum uniform logarithmic (decay alpha) 0).
Definition EU (alpha e : R) : metric := score (Sum given shifted_log (decay alpha) e).
Definition CT (alpha limit : R) : metric := score (Sum given reciprocal (cube alpha limit) 0).

(** The formula of Section 5, as the paper writes it: RBU equals that sum. *)
Lemma RBU_formula p e T w d :
  RBU p e T w d =
  sum_to (length d) (fun i =>
    p ^ (S i) * (sum_to T (fun t => w t * at_rank d i t * cascade (column t (firstn i d))) - e)).
Proof. reflexivity. Qed.
