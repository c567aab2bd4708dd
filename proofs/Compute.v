(** Computing scores of rational rankings: the definitions over real numbers agree with a program over fractions.

    [Examples.v] contains rankings scored by diveval's exact interpreter; Coq evaluates them here and compares. *)

From Coq Require Import Reals QArith Qreals List Lia Lra.
From DivEval Require Import Definitions Constraints Algebra.
Import ListNotations.
Open Scope R_scope.

(** ** Rational rankings *)

Definition document_of (l : list Q) : document := fun t => Q2R (nth t l 0%Q).
Definition ranking_of (rows : list (list Q)) : ranking := map document_of rows.
Definition weights_of (l : list Q) : weights := fun t => Q2R (nth t l 0%Q).

(** ** The program *)

Fixpoint sum_toQ (n : nat) (f : nat -> Q) : Q :=
  match n with
  | O => 0%Q
  | S m => Qred (sum_toQ m f + f m)
  end.

Fixpoint sum_listQ (l : list Q) : Q :=
  match l with
  | [] => 0%Q
  | r :: rest => Qred (r + sum_listQ rest)
  end.

Definition alwaysQ (above : list Q) : Q := 1%Q.

Fixpoint cascadeQ (above : list Q) : Q :=
  match above with
  | [] => 1%Q
  | r :: rest => Qred ((1 - r) * cascadeQ rest)
  end.

Fixpoint decayQ (alpha : Q) (above : list Q) : Q :=
  match above with
  | [] => 1%Q
  | r :: rest => if Qlt_le_dec 0 r then Qred ((1 - alpha) * decayQ alpha rest) else decayQ alpha rest
  end.

Definition cubeQ (alpha limit : Q) (above : list Q) : Q :=
  if Qlt_le_dec (sum_listQ above) limit then decayQ alpha above else 0%Q.

Definition columnQ (t : nat) (rows : list (list Q)) : list Q := map (fun row => nth t row 0%Q) rows.

Definition gainQ (weighted : bool) (nu : list Q -> Q) (e : Q) (T : nat) (w : list Q) (rows : list (list Q)) (i : nat) : Q :=
  Qred (sum_toQ T (fun t =>
    (if weighted then nth t w 0 else 1) * nth t (nth i rows []) 0 * nu (columnQ t (firstn i rows)))%Q - e).

Definition gainsQ weighted nu e T w rows : list Q :=
  map (gainQ weighted nu e T w rows) (seq 0 (length rows)).

(** sum_i D(i) g_i *)
Definition discounted (D : nat -> R) (gains : list Q) : R :=
  sum_to (length gains) (fun i => D (S i) * Q2R (nth i gains 0%Q)).

Definition discountedQ (D : nat -> Q) (gains : list Q) : Q :=
  sum_toQ (length gains) (fun i => (D i * nth i gains 0)%Q).

(** ** The program agrees with the definitions *)

Lemma Q2R_red q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma Q2R_0 : Q2R 0 = 0.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma Q2R_1 : Q2R 1 = 1.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma sum_toQ_correct n f g : (forall i, (i < n)%nat -> Q2R (f i) = g i) -> Q2R (sum_toQ n f) = sum_to n g.
Proof.
  induction n as [|n IH]; intros H; cbn [sum_toQ sum_to]; [exact Q2R_0|].
  rewrite Q2R_red, Q2R_plus, IH, H by (intros; auto with arith). reflexivity.
Qed.

Lemma sum_listQ_correct l : Q2R (sum_listQ l) = sum_list (map Q2R l).
Proof. induction l as [|r l IH]; cbn [sum_listQ sum_list map]; [exact Q2R_0|]. rewrite Q2R_red, Q2R_plus, IH. reflexivity. Qed.

Definition computes (nuQ : list Q -> Q) (nu : list R -> R) : Prop := forall l, Q2R (nuQ l) = nu (map Q2R l).

Lemma always_computed : computes alwaysQ always.
Proof. intros l. exact Q2R_1. Qed.

Lemma cascade_computed : computes cascadeQ cascade.
Proof.
  intros l. induction l as [|r l IH]; cbn [cascadeQ cascade map]; [exact Q2R_1|].
  rewrite Q2R_red, Q2R_mult, Q2R_minus, IH, Q2R_1. reflexivity.
Qed.

Lemma decay_computed alpha : computes (decayQ alpha) (decay (Q2R alpha)).
Proof.
  intros l. unfold decay. induction l as [|r l IH]; cbn [decayQ count_relevant map]; [exact Q2R_1|].
  destruct (Qlt_le_dec 0 r) as [H|H], (Rlt_dec 0 (Q2R r)) as [H'|H'].
  - rewrite Q2R_red, Q2R_mult, Q2R_minus, IH, Q2R_1. reflexivity.
  - exfalso. apply H'. rewrite <- Q2R_0. apply Qlt_Rlt. exact H.
  - exfalso. apply Qle_Rle in H. rewrite Q2R_0 in H. lra.
  - exact IH.
Qed.

Lemma cube_computed alpha limit : computes (cubeQ alpha limit) (cube (Q2R alpha) (Q2R limit)).
Proof.
  intros l. unfold cubeQ, cube. rewrite <- sum_listQ_correct.
  destruct (Qlt_le_dec (sum_listQ l) limit) as [H|H], (Rlt_dec (Q2R (sum_listQ l)) (Q2R limit)) as [H'|H'].
  - apply decay_computed.
  - exfalso. apply H'. apply Qlt_Rlt. exact H.
  - exfalso. apply Qle_Rle in H. lra.
  - exact Q2R_0.
Qed.

Lemma column_computed t rows : column t (ranking_of rows) = map Q2R (columnQ t rows).
Proof. unfold column, ranking_of, columnQ. rewrite !map_map. reflexivity. Qed.

Lemma at_rank_computed rows i t : at_rank (ranking_of rows) i t = Q2R (nth t (nth i rows []) 0%Q).
Proof.
  unfold at_rank, ranking_of. revert i. induction rows as [|row rows IH]; intros i.
  - destruct i; destruct t; unfold nothing; simpl; rewrite Q2R_0; reflexivity.
  - destruct i as [|i]; [reflexivity|]. simpl. apply IH.
Qed.

Definition weigh_by (weighted : bool) : weights -> weights := if weighted then given else uniform.

Theorem score_computed weighted D nuQ nu e T w rows :
  computes nuQ nu ->
  score (Sum (weigh_by weighted) D nu (Q2R e)) T (weights_of w) (ranking_of rows)
  = discounted D (gainsQ weighted nuQ e T w rows).
Proof.
  intros Hnu. unfold score, discounted, gainsQ. rewrite map_length, seq_length.
  replace (length (ranking_of rows)) with (length rows) by (unfold ranking_of; rewrite map_length; reflexivity).
  apply sum_to_ext. intros i Hi. cbn [discount]. f_equal.
  rewrite (nth_indep _ 0%Q (gainQ weighted nuQ e T w rows 0)) by (rewrite map_length, seq_length; exact Hi).
  rewrite map_nth, seq_nth by exact Hi. cbn [Nat.add].
  unfold gain, gainQ. rewrite Q2R_red, Q2R_minus. cbn [effort weigh novelty]. f_equal.
  symmetry. apply sum_toQ_correct. intros t Ht.
  rewrite !Q2R_mult, Hnu, at_rank_computed. f_equal.
  - f_equal. destruct weighted; [reflexivity|exact Q2R_1].
  - f_equal. unfold ranking_of. rewrite firstn_map. symmetry. apply column_computed.
Qed.

Theorem discounted_computed D DQ gains :
  (forall i, D (S i) = Q2R (DQ i)) -> discounted D gains = Q2R (discountedQ DQ gains).
Proof.
  intros H. unfold discounted, discountedQ. symmetry. apply sum_toQ_correct.
  intros i _. rewrite Q2R_mult, H. reflexivity.
Qed.

(** Discounts that are rational: c p^i, and 1/i. *)
Fixpoint powerQ (p : Q) (i : nat) : Q :=
  match i with
  | O => 1%Q
  | S j => Qred (p * powerQ p j)
  end.

Lemma powerQ_correct p i : Q2R (powerQ p i) = Q2R p ^ i.
Proof. induction i as [|i IH]; cbn [powerQ pow]; [exact Q2R_1|]. rewrite Q2R_red, Q2R_mult, IH. reflexivity. Qed.

Definition reciprocalQ (i : nat) : Q := 1 # Pos.of_succ_nat i.

Lemma reciprocalQ_correct i : reciprocal (S i) = Q2R (reciprocalQ i).
Proof.
  unfold reciprocal, reciprocalQ, Q2R. cbn [Qnum Qden]. rewrite Rmult_1_l. f_equal.
  rewrite INR_IZR_INZ. reflexivity.
Qed.

Lemma zero_Q : 0 = Q2R 0.
Proof. symmetry. exact Q2R_0. Qed.

(** ** The metrics, computed *)

Definition RBU_Q p e T w rows := discountedQ (fun i => powerQ p (S i)) (gainsQ true cascadeQ e T w rows).
Definition RBP_IA_Q p T w rows :=
  discountedQ (fun i => Qred ((1 - p) * powerQ p i)) (gainsQ true alwaysQ 0 T w rows).
Definition ERR_IA_Q T w rows := discountedQ reciprocalQ (gainsQ true cascadeQ 0 T w rows).
Definition NRBP_Q p alpha T w rows := discountedQ (powerQ p) (gainsQ false (decayQ alpha) 0 T w rows).
Definition CT_Q alpha limit T w rows := discountedQ reciprocalQ (gainsQ true (cubeQ alpha limit) 0 T w rows).

Theorem RBU_computed p e T w rows :
  RBU (Q2R p) (Q2R e) T (weights_of w) (ranking_of rows) = Q2R (RBU_Q p e T w rows).
Proof.
  unfold RBU, RBU_Q. rewrite <- (discounted_computed (geometric (Q2R p))).
  - exact (score_computed true _ cascadeQ cascade e T w rows cascade_computed).
  - intros i. unfold geometric. symmetry. apply powerQ_correct.
Qed.

Theorem RBP_IA_computed p T w rows :
  RBP_IA (Q2R p) T (weights_of w) (ranking_of rows) = Q2R (RBP_IA_Q p T w rows).
Proof.
  unfold RBP_IA, RBP_IA_Q. rewrite <- (discounted_computed (patient (Q2R p))).
  - rewrite zero_Q. exact (score_computed true _ alwaysQ always 0 T w rows always_computed).
  - intros i. unfold patient. rewrite Q2R_red, Q2R_mult, Q2R_minus, powerQ_correct, Q2R_1.
    replace (S i - 1)%nat with i by lia. reflexivity.
Qed.

Theorem ERR_IA_computed T w rows :
  ERR_IA T (weights_of w) (ranking_of rows) = Q2R (ERR_IA_Q T w rows).
Proof.
  unfold ERR_IA, ERR_IA_Q. rewrite <- (discounted_computed reciprocal) by exact reciprocalQ_correct.
  rewrite zero_Q. exact (score_computed true _ cascadeQ cascade 0 T w rows cascade_computed).
Qed.

Theorem NRBP_computed p alpha T w rows :
  NRBP (Q2R p) (Q2R alpha) T (weights_of w) (ranking_of rows) = Q2R (NRBP_Q p alpha T w rows).
Proof.
  unfold NRBP, NRBP_Q. rewrite <- (discounted_computed (geometric0 (Q2R p))).
  - rewrite zero_Q. exact (score_computed false _ (decayQ alpha) _ 0 T w rows (decay_computed alpha)).
  - intros i. unfold geometric0. rewrite powerQ_correct. replace (S i - 1)%nat with i by lia. reflexivity.
Qed.

Theorem CT_computed alpha limit T w rows :
  CT (Q2R alpha) (Q2R limit) T (weights_of w) (ranking_of rows) = Q2R (CT_Q alpha limit T w rows).
Proof.
  unfold CT, CT_Q. rewrite <- (discounted_computed reciprocal) by exact reciprocalQ_correct.
  rewrite zero_Q. exact (score_computed true _ (cubeQ alpha limit) _ 0 T w rows (cube_computed alpha limit)).
Qed.

(** The logarithmic discounts remain symbols: only the gain at each rank is computed. *)
Theorem alpha_DCG_computed alpha T w rows :
  alpha_DCG (Q2R alpha) T (weights_of w) (ranking_of rows)
  = discounted logarithmic (gainsQ false (decayQ alpha) 0 T w rows).
Proof.
  unfold alpha_DCG. rewrite zero_Q.
  exact (score_computed false _ (decayQ alpha) _ 0 T w rows (decay_computed alpha)).
Qed.

Theorem EU_computed alpha e T w rows :
  EU (Q2R alpha) (Q2R e) T (weights_of w) (ranking_of rows)
  = discounted shifted_log (gainsQ true (decayQ alpha) e T w rows).
Proof. exact (score_computed true _ (decayQ alpha) _ e T w rows (decay_computed alpha)). Qed.

(** RBP uses the largest relevance of each document. *)
Fixpoint overallQ (T : nat) (row : list Q) : Q :=
  match T with
  | O => 0%Q
  | S T' => if Qlt_le_dec (overallQ T' row) (nth T' row 0%Q) then nth T' row 0%Q else overallQ T' row
  end.

Lemma overall_computed T row : overall T (document_of row) = Q2R (overallQ T row).
Proof.
  induction T as [|T IH]; cbn [overall overallQ]; [symmetry; exact Q2R_0|]. rewrite IH. unfold document_of.
  destruct (Qlt_le_dec (overallQ T row) (nth T row 0%Q)) as [H|H].
  - apply Qlt_Rlt in H. apply Rmax_right. lra.
  - apply Qle_Rle in H. apply Rmax_left. lra.
Qed.

Definition RBP_Q p T (rows : list (list Q)) := RBP_IA_Q p 1 [1%Q] (map (fun row => [overallQ T row]) rows).

Definition ERR_Q T (rows : list (list Q)) := ERR_IA_Q 1 [1%Q] (map (fun row => [overallQ T row]) rows).

Lemma overall_rows m T (rows : list (list Q)) :
  weigh m = given ->
  score m 1%nat (fun _ => 1) (map (fun x _ => overall T x) (ranking_of rows))
  = score m 1%nat (weights_of [1%Q]) (ranking_of (map (fun row => [overallQ T row]) rows)).
Proof.
  intros Hw. rewrite !score_columns. simpl. rewrite Hw. unfold given, weights_of. simpl. rewrite Q2R_1.
  unfold ranking_of, column. rewrite !map_length, !map_map.
  replace (map (fun x => document_of [overallQ T x] 0%nat) rows)
    with (map (fun x => overall T (document_of x)) rows); [reflexivity|].
  apply map_ext. intros row. rewrite overall_computed. reflexivity.
Qed.

Theorem RBP_computed p T w rows : RBP (Q2R p) T (weights_of w) (ranking_of rows) = Q2R (RBP_Q p T rows).
Proof. unfold RBP, RBP_Q, without_aspects. rewrite <- RBP_IA_computed. apply overall_rows. reflexivity. Qed.

Theorem ERR_computed T w rows : ERR T (weights_of w) (ranking_of rows) = Q2R (ERR_Q T rows).
Proof. unfold ERR, ERR_Q, without_aspects. rewrite <- ERR_IA_computed. apply overall_rows. reflexivity. Qed.

(** ** The tactics of the examples *)

Fixpoint same (a b : list Q) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => Qeq_bool x y && same a' b'
  | _, _ => false
  end.

Lemma same_nth a b : same a b = true -> length a = length b /\ forall i, Q2R (nth i a 0%Q) = Q2R (nth i b 0%Q).
Proof.
  revert b. induction a as [|x a IH]; intros [|y b] H; try discriminate; [split; reflexivity|].
  simpl in H. apply andb_prop in H as [H1 H2]. destruct (IH b H2) as [Hlen Hnth]. split; [simpl; lia|].
  intros [|i]; simpl; [apply Qeq_eqR, Qeq_bool_iff; exact H1|apply Hnth].
Qed.

Lemma discounted_same D a b : same a b = true -> discounted D a = discounted D b.
Proof.
  intros H. apply same_nth in H as [Hlen Hnth]. unfold discounted. rewrite Hlen.
  apply sum_to_ext. intros i _. rewrite Hnth. reflexivity.
Qed.

Lemma value_same a b : Qeq_bool a b = true -> Q2R a = Q2R b.
Proof. intros H. apply Qeq_eqR, Qeq_bool_iff. exact H. Qed.
