(** The ten constraints of Section 3, in two readings.

    [as_written] is the literal formula, [charitable] the reading that the authors most likely intended. Where
    both agree there is one definition. A constraint is a property of a metric Q, for rankings of every length, every
    number of aspects and all weights. *)

From Coq Require Import Reals List Lia Lra.
From DivEval Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(** ** What the constraints assume *)

(** r << 1, "relevance contribution": as written every r < 1; charitably the relevance to an aspect adds up to less
    than 1, so that there is always room for another document. *)
Definition each_below_one (l : list R) : Prop := forall r, In r l -> 0 <= r < 1.
Definition sum_below_one (l : list R) : Prop := (forall r, In r l -> 0 <= r) /\ sum_list l < 1.

Definition contribution := list R -> Prop.

(** The same for every aspect of a ranking. *)
Definition contributes (small : contribution) (T : nat) (d : ranking) : Prop :=
  forall t, (t < T)%nat -> small (column t d).

(** Positive weights that add up to 1. *)
Definition proper (T : nat) (w : weights) : Prop :=
  (forall t, (t < T)%nat -> 0 < w t) /\ sum_to T w = 1.

(** Balanced aspects: w(t) = 1/T. *)
Definition balanced (T : nat) : weights := fun _ => / INR T.

(** Q of a ranking over a single aspect, given by the relevance of its documents. *)
Definition single (Q : metric) (l : list R) : R := Q 1%nat (fun _ => 1) (map (fun r _ => r) l).

(** No aspect overlap: documents about one aspect among 0 .. T - 1, with relevance in [0, 1], or about none. *)
Inductive one_aspect (T : nat) (allowed : aspect -> Prop) : document -> Prop :=
| about_none : one_aspect T allowed nothing
| about_one t r : (t < T)%nat -> allowed t -> 0 <= r <= 1 -> one_aspect T allowed (about t r).

Definition no_overlap (T : nat) (allowed : aspect -> Prop) (d : ranking) : Prop :=
  forall x, In x d -> one_aspect T allowed x.

Definition any_aspect (t : aspect) : Prop := True.

(** ** Pri, Eq. 1: swapping items in concordance with their relevance *)

Definition Pri_as_written (Q : metric) : Prop :=
  forall (A M B : list R) (x y : R),
    each_below_one (A ++ x :: M ++ y :: B) -> x < y ->
    single Q (A ++ y :: M ++ x :: B) > single Q (A ++ x :: M ++ y :: B).

(** Contiguous ranks. *)
Definition Pri_charitable (Q : metric) : Prop :=
  forall (A B : list R) (x y : R),
    sum_below_one (A ++ x :: y :: B) -> x < y ->
    single Q (A ++ y :: x :: B) > single Q (A ++ x :: y :: B).

(** ** Deep, Eq. 2: the same swap has more effect in early positions *)

Definition Deep_when (small : contribution) (Q : metric) : Prop :=
  forall (A M B : list R) (x y : R),
    small (A ++ x :: y :: M ++ x :: y :: B) -> x < y ->
    single Q (A ++ y :: x :: M ++ x :: y :: B) > single Q (A ++ x :: y :: M ++ y :: x :: B).

Definition Deep_as_written : metric -> Prop := Deep_when each_below_one.
Definition Deep_charitable : metric -> Prop := Deep_when sum_below_one.

(** ** DeepTh and CloseTh, Eq. 3 and 4 *)

(** One relevant document at the top, and n relevant documents after n others. *)
Definition one_first (r : R) : list R := [r].
Definition n_behind_n (r : R) (n : nat) : list R := repeat 0 n ++ repeat r n.

(** The former, filled with non-relevant documents to the length of the latter. *)
Definition one_first_padded (r : R) (n : nat) : list R := r :: repeat 0 (2 * n - 1).

(** For each relevance r of a relevant document there is an n; n may depend on r. *)
Definition DeepTh_as_written (Q : metric) : Prop :=
  forall r, 0 < r < 1 -> exists n, (1 <= n)%nat /\ single Q (one_first r) > single Q (n_behind_n r n).

(** For all n from some N on, not only for some n; N may depend on r. *)
Definition DeepTh_charitable (Q : metric) : Prop :=
  forall r, 0 < r < 1 -> exists N, forall n, (1 <= n)%nat -> (N <= n)%nat ->
    single Q (one_first_padded r n) > single Q (n_behind_n r n).

(** CloseTh depends on the relevance r of a relevant document. *)
Definition CloseTh_at (Q : metric) (r : R) : Prop :=
  exists m, (1 <= m)%nat /\ single Q (one_first r) < single Q (n_behind_n r m).

Definition CloseTh_padded_at (Q : metric) (r : R) : Prop :=
  exists m, (1 <= m)%nat /\ single Q (one_first_padded r m) < single Q (n_behind_n r m).

Definition CloseTh_as_written (Q : metric) : Prop := forall r, 0 < r < 1 -> CloseTh_at Q r.

(** For r small enough. *)
Definition CloseTh_charitable (Q : metric) : Prop :=
  exists m eps, (1 <= m)%nat /\ 0 < eps /\ forall r, 0 < r < eps ->
    single Q (one_first_padded r m) < single Q (n_behind_n r m).

(** The same with a cutoff k: rankings of up to k documents. *)
Definition CloseTh_charitable_within (k : nat) (Q : metric) : Prop :=
  exists m eps, (1 <= m)%nat /\ (2 * m <= k)%nat /\ 0 < eps /\ forall r, 0 < r < eps ->
    single Q (one_first_padded r m) < single Q (n_behind_n r m).

(** ** Conf, Eq. 5: adding a non-relevant document decreases the score *)

Definition Conf_when (small : contribution) (Q : metric) : Prop :=
  forall l : list R, l <> [] -> small l -> single Q l > single Q (l ++ [0]).

Definition Conf_as_written : metric -> Prop := Conf_when each_below_one.
Definition Conf_charitable : metric -> Prop := Conf_when sum_below_one.

(** ** AspDiv, Eq. 6: a document more relevant to every aspect *)

Definition AspDiv_when (small : contribution) (behind : ranking -> Prop) (Q : metric) : Prop :=
  forall (T : nat) (w : weights) (A B : ranking) (x y : document),
    proper T w -> behind B ->
    contributes small T (A ++ x :: B) -> contributes small T (A ++ y :: B) ->
    (forall t, (t < T)%nat -> x t < y t) ->
    Q T w (A ++ y :: B) > Q T w (A ++ x :: B).

Definition AspDiv_as_written : metric -> Prop := AspDiv_when each_below_one (fun _ => True).
(** Charitably, d_i is the last document. *)
Definition AspDiv_charitable : metric -> Prop := AspDiv_when sum_below_one (fun B => B = []).

(** ** Red, Eq. 7: binary relevance, balanced aspects, no overlap *)

(** A document about an aspect with relevance r, or about nothing. *)
Definition binary (r : R) (about_what : option aspect) : document :=
  match about_what with
  | Some t => about t r
  | None => nothing
  end.

Definition count (t : aspect) (l : list (option aspect)) : nat :=
  length (filter (fun a => match a with Some u => Nat.eqb u t | None => false end) l).

(** Charitably r < 1 and nothing is saturated: each aspect's documents, with one more, add up to less than 1. *)
Definition unsaturated (r : R) (T : nat) (l : list (option aspect)) : Prop :=
  r < 1 /\ forall u, (u < T)%nat -> INR (count u l + 1) * r < 1.
Definition at_most_one (r : R) (T : nat) (l : list (option aspect)) : Prop := r <= 1.

Definition Red_when (room : R -> nat -> list (option aspect) -> Prop) (Q : metric) : Prop :=
  forall (T : nat) (l : list (option aspect)) (t t' : aspect) (r : R),
    (t < T)%nat -> (t' < T)%nat -> t <> t' -> (forall u, In (Some u) l -> (u < T)%nat) ->
    0 < r -> room r T l -> (count t l > count t' l)%nat ->
    Q T (balanced T) (map (binary r) l ++ [about t' r]) > Q T (balanced T) (map (binary r) l ++ [about t r]).

Definition Red_as_written : metric -> Prop := Red_when at_most_one.
Definition Red_charitable : metric -> Prop := Red_when unsaturated.

(** ** MRed, Eq. 8: two balanced aspects, 0 and 1 *)

Definition MRed_when (small : contribution) (Q : metric) : Prop :=
  forall (d : ranking) (r : R),
    d <> [] -> 0 < r ->
    contributes small 2 (d ++ [about 1%nat r]) -> contributes small 2 (d ++ [about 0%nat r]) ->
    (forall x, In x d -> x 0%nat > x 1%nat) ->
    Q 2%nat (balanced 2) (d ++ [about 1%nat r]) > Q 2%nat (balanced 2) (d ++ [about 0%nat r]).

Definition MRed_as_written : metric -> Prop := MRed_when each_below_one.
Definition MRed_charitable : metric -> Prop := MRed_when sum_below_one.

(** ** Sat, Eq. 9: after a document of relevance r_max no other about the same aspect helps *)

Definition saturates_at (Q : metric) (r_max : R) : Prop :=
  forall (T : nat) (w : weights) (d : ranking) (t : aspect) (r : R),
    proper T w -> (t < T)%nat -> no_overlap T any_aspect d -> 0 < r <= 1 ->
    Q T w (d ++ [about t r_max]) >= Q T w ((d ++ [about t r_max]) ++ [about t r]).

Definition Sat_as_written (Q : metric) : Prop := exists r_max, 0 < r_max <= 1 /\ saturates_at Q r_max.
(** Charitably r_max is the largest possible relevance. *)
Definition Sat_charitable (Q : metric) : Prop := saturates_at Q 1.

(** ** AspRel, Eq. 10: aspects of higher weight have more effect *)

Definition AspRel_when (behind : aspect -> aspect -> aspect -> Prop) (Q : metric) : Prop :=
  forall (T : nat) (w : weights) (A B : ranking) (t t' : aspect) (r : R),
    proper T w -> (t < T)%nat -> (t' < T)%nat -> 0 < r <= 1 -> w t < w t' ->
    no_overlap T (fun u => u <> t /\ u <> t') A -> no_overlap T (behind t t') B ->
    Q T w (A ++ about t' r :: B) > Q T w (A ++ about t r :: B).

Definition AspRel_as_written : metric -> Prop := AspRel_when (fun _ _ _ => True).
(** Charitably t and t' occur nowhere else. *)
Definition AspRel_charitable : metric -> Prop := AspRel_when (fun t t' u => u <> t /\ u <> t').

(** ** The charitable reading with a cutoff k: both rankings have up to k documents *)

Definition up_to (k : nat) (small : contribution) : contribution := fun l => (length l <= k)%nat /\ small l.

Definition Pri_charitable_within (k : nat) (Q : metric) : Prop :=
  forall (A B : list R) (x y : R),
    (length (A ++ x :: y :: B) <= k)%nat -> sum_below_one (A ++ x :: y :: B) -> x < y ->
    single Q (A ++ y :: x :: B) > single Q (A ++ x :: y :: B).

Definition Deep_charitable_within (k : nat) : metric -> Prop := Deep_when (up_to k sum_below_one).

(** Every n from some N on for which the rankings of 2n documents fit. *)
Definition DeepTh_charitable_within_at (k : nat) (Q : metric) (r : R) : Prop :=
  exists N, (1 <= N)%nat /\ (2 * N <= k)%nat /\ forall n, (N <= n)%nat -> (2 * n <= k)%nat ->
    single Q (one_first_padded r n) > single Q (n_behind_n r n).
Definition DeepTh_charitable_within (k : nat) (Q : metric) : Prop :=
  forall r, 0 < r < 1 -> DeepTh_charitable_within_at k Q r.

Definition Conf_charitable_within (k : nat) : metric -> Prop :=
  Conf_when (fun l => (S (length l) <= k)%nat /\ sum_below_one l).

Definition AspDiv_charitable_within (k : nat) : metric -> Prop :=
  AspDiv_when (up_to k sum_below_one) (fun B => B = []).

Definition Red_charitable_within (k : nat) : metric -> Prop :=
  Red_when (fun r T l => (S (length l) <= k)%nat /\ unsaturated r T l).

Definition MRed_charitable_within (k : nat) : metric -> Prop := MRed_when (up_to k sum_below_one).

Definition Sat_charitable_within (k : nat) (Q : metric) : Prop :=
  forall (T : nat) (w : weights) (d : ranking) (t : aspect) (r : R),
    (length d + 2 <= k)%nat -> proper T w -> (t < T)%nat -> no_overlap T any_aspect d -> 0 < r <= 1 ->
    Q T w (d ++ [about t 1]) >= Q T w ((d ++ [about t 1]) ++ [about t r]).

Definition AspRel_charitable_within (k : nat) (Q : metric) : Prop :=
  forall (T : nat) (w : weights) (A B : ranking) (t t' : aspect) (r : R),
    (length (A ++ about t r :: B) <= k)%nat ->
    proper T w -> (t < T)%nat -> (t' < T)%nat -> 0 < r <= 1 -> w t < w t' ->
    no_overlap T (fun u => u <> t /\ u <> t') A -> no_overlap T (fun u => u <> t /\ u <> t') B ->
    Q T w (A ++ about t' r :: B) > Q T w (A ++ about t r :: B).

(** ** One reading implies the other: what holds as written holds charitably *)

Lemma sum_list_app l m : sum_list (l ++ m) = sum_list l + sum_list m.
Proof. induction l; simpl; lra. Qed.

Lemma sum_list_nonneg l : (forall r, In r l -> 0 <= r) -> 0 <= sum_list l.
Proof.
  induction l as [|r l IH]; simpl; intros H; [lra|].
  assert (0 <= r) by auto. assert (0 <= sum_list l) by auto. lra.
Qed.

Lemma in_le_sum_list l r : (forall x, In x l -> 0 <= x) -> In r l -> r <= sum_list l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [tauto|]. intros [<-|Hin].
  - assert (0 <= sum_list l) by (apply sum_list_nonneg; auto). lra.
  - assert (0 <= a) by auto. assert (r <= sum_list l) by auto. lra.
Qed.

Lemma sum_below_each l : sum_below_one l -> each_below_one l.
Proof.
  intros [Hnonneg Hsum] r Hin. split; [auto|].
  pose proof (in_le_sum_list l r Hnonneg Hin). lra.
Qed.

Lemma contributes_sum_each T d : contributes sum_below_one T d -> contributes each_below_one T d.
Proof. intros H t Ht. apply sum_below_each; auto. Qed.

Lemma Pri_charitably Q : Pri_as_written Q -> Pri_charitable Q.
Proof. intros H A B x y Hs Hxy. apply (H A [] B); [apply sum_below_each; exact Hs|exact Hxy]. Qed.

Lemma Deep_charitably Q : Deep_as_written Q -> Deep_charitable Q.
Proof. intros H A M B x y Hs Hxy. apply H; auto using sum_below_each. Qed.

Lemma Conf_charitably Q : Conf_as_written Q -> Conf_charitable Q.
Proof. intros H l Hl Hs. apply H; auto using sum_below_each. Qed.

Lemma AspDiv_charitably Q : AspDiv_as_written Q -> AspDiv_charitable Q.
Proof. intros H T w A B x y Hw HB Hx Hy Hxy. apply H; auto using contributes_sum_each. Qed.

Lemma MRed_charitably Q : MRed_as_written Q -> MRed_charitable Q.
Proof. intros H d r Hd Hr Hx Hy Hxy. apply H; auto using contributes_sum_each. Qed.

Lemma Red_charitably Q : Red_as_written Q -> Red_charitable Q.
Proof.
  intros H T l t t' r Ht Ht' Hne Hl Hr [Hr1 _] Hc.
  apply H; auto. unfold at_most_one. lra.
Qed.

Lemma Sat_as_written_from_charitable Q : Sat_charitable Q -> Sat_as_written Q.
Proof. intros H. exists 1. split; [lra|exact H]. Qed.

Lemma AspRel_charitably Q : AspRel_as_written Q -> AspRel_charitable Q.
Proof.
  intros H T w A B t t' r Hw Ht Ht' Hr Hww HA HB. apply H; auto.
  intros x Hx. destruct (HB x Hx); constructor; auto.
Qed.
