(** The properties of discounts that the constraints need, proved for p^i, 1/i and the logarithmic ones. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra.
Import ListNotations.
Open Scope R_scope.

(** Positive and strictly decreasing. Ranks start at 1. *)
Record decreasing (D : nat -> R) : Prop := {
  positive : forall i, 0 < D (S i);
  falls : forall i, D (S (S i)) < D (S i)
}.

(** The drop from rank to rank does not grow, or shrinks. *)
Definition convex (D : nat -> R) : Prop :=
  forall i, D (S (S i)) - D (S (S (S i))) <= D (S i) - D (S (S i)).
Definition strictly_convex (D : nat -> R) : Prop :=
  forall i, D (S (S i)) - D (S (S (S i))) < D (S i) - D (S (S i)).

(** The discount becomes arbitrarily small at deep ranks. *)
Definition vanishes (D : nat -> R) : Prop :=
  forall eps, 0 < eps -> exists N, forall n, (N <= n)%nat -> D (S n) < eps.

Lemma decreasing_le D i j : decreasing D -> (i <= j)%nat -> D (S j) <= D (S i).
Proof.
  intros H Hij. induction Hij as [|j Hij IH]; [lra|]. pose proof (falls D H j). lra.
Qed.

Lemma decreasing_lt D i j : decreasing D -> (i < j)%nat -> D (S j) < D (S i).
Proof.
  intros H Hij. pose proof (falls D H i). pose proof (decreasing_le D (S i) j H Hij). lra.
Qed.

Lemma convex_le D i j : convex D -> (i <= j)%nat -> D (S j) - D (S (S j)) <= D (S i) - D (S (S i)).
Proof. intros H Hij. induction Hij as [|j Hij IH]; [lra|]. pose proof (H j). lra. Qed.

Lemma strictly_convex_lt D i j :
  strictly_convex D -> (i < j)%nat -> D (S j) - D (S (S j)) < D (S i) - D (S (S i)).
Proof.
  intros H Hij. induction Hij as [|j Hij IH]; [apply H|]. pose proof (H j). lra.
Qed.

Lemma strictly_convex_convex D : strictly_convex D -> convex D.
Proof. intros H i. pose proof (H i). lra. Qed.

(** *** c * p^i *)

Section Powers.
Variables (c p : R).
Hypothesis Hc : 0 < c.
Hypothesis Hp : 0 < p < 1.

Lemma powers_positive i : 0 < c * p ^ i.
Proof. apply Rmult_lt_0_compat; [exact Hc|apply pow_lt; lra]. Qed.

Lemma powers_fall i : c * p ^ S i < c * p ^ i.
Proof. pose proof (powers_positive i). simpl. nra. Qed.

Lemma powers_convex i : c * p ^ S i - c * p ^ S (S i) < c * p ^ i - c * p ^ S i.
Proof.
  pose proof (powers_positive i).
  replace (c * p ^ i - c * p ^ S i) with ((c * p ^ i) * (1 - p)) by (simpl; lra).
  replace (c * p ^ S i - c * p ^ S (S i)) with ((c * p ^ i) * (1 - p) * p) by (simpl; lra).
  assert (0 < (c * p ^ i) * (1 - p)) by (apply Rmult_lt_0_compat; lra). nra.
Qed.
End Powers.

(** p + ... + p^n < p / (1 - p), written without the division. *)
Lemma geometric_sum p n : (1 - p) * sum_to n (fun j => p ^ j) = 1 - p ^ n.
Proof. induction n as [|n IH]; simpl; [lra|]. rewrite Rmult_plus_distr_l, IH. lra. Qed.

Lemma powers_vanish p : 0 < p < 1 -> forall eps, 0 < eps -> exists N, forall n, (N <= n)%nat -> p ^ n < eps.
Proof.
  intros Hp eps Heps.
  destruct (pow_lt_1_zero p) with (y := eps) as [N HN]; [rewrite Rabs_right; lra|exact Heps|].
  exists N. intros n Hn. specialize (HN n Hn). rewrite Rabs_right in HN; [exact HN|].
  apply Rle_ge, pow_le. lra.
Qed.

Lemma geometric_decreasing p : 0 < p < 1 -> decreasing (geometric p).
Proof.
  intros Hp. split; intros i; unfold geometric.
  - apply pow_lt; lra.
  - pose proof (powers_fall 1 p ltac:(lra) Hp (S i)). lra.
Qed.

Lemma geometric_convex p : 0 < p < 1 -> strictly_convex (geometric p).
Proof. intros Hp i. unfold geometric. pose proof (powers_convex 1 p ltac:(lra) Hp (S i)). lra. Qed.

Lemma geometric0_decreasing p : 0 < p < 1 -> decreasing (geometric0 p).
Proof.
  intros Hp. split; intros i; unfold geometric0; simpl; rewrite ?Nat.sub_0_r.
  - apply pow_lt; lra.
  - pose proof (powers_fall 1 p ltac:(lra) Hp i). simpl in *. lra.
Qed.

Lemma geometric0_convex p : 0 < p < 1 -> strictly_convex (geometric0 p).
Proof.
  intros Hp i. unfold geometric0. simpl; rewrite ?Nat.sub_0_r.
  pose proof (powers_convex 1 p ltac:(lra) Hp i). simpl in *. lra.
Qed.

Lemma patient_decreasing p : 0 < p < 1 -> decreasing (patient p).
Proof.
  intros Hp. split; intros i; unfold patient; simpl; rewrite ?Nat.sub_0_r.
  - apply powers_positive; lra.
  - pose proof (powers_fall (1 - p) p ltac:(lra) Hp i). simpl in *. lra.
Qed.

Lemma patient_convex p : 0 < p < 1 -> strictly_convex (patient p).
Proof.
  intros Hp i. unfold patient. simpl; rewrite ?Nat.sub_0_r.
  pose proof (powers_convex (1 - p) p ltac:(lra) Hp i). simpl in *. lra.
Qed.

(** *** 1 / i *)

Lemma reciprocal_decreasing : decreasing reciprocal.
Proof.
  split; intros i; unfold reciprocal.
  - apply Rinv_0_lt_compat, lt_0_INR. lia.
  - apply Rinv_lt_contravar; [|apply lt_INR; lia].
    apply Rmult_lt_0_compat; apply lt_0_INR; lia.
Qed.

(** 1/a + 1/c >= 2/b when a + c <= 2b: the convexity of 1/x, for ranks and for their logarithms. *)
Lemma inverse_convex a b c : 0 < a -> 0 < b -> 0 < c -> a + c <= 2 * b -> / b - / c <= / a - / b.
Proof.
  intros Ha Hb Hc H.
  assert (E : / a - / b - (/ b - / c) = (b * (a + c) - 2 * (a * c)) * / (a * b * c)) by (field; repeat split; apply Rgt_not_eq; assumption).
  assert (0 <= (b * (a + c) - 2 * (a * c)) * / (a * b * c)).
  { assert (4 * (a * c) <= (a + c) * (a + c)) by (pose proof (Rle_0_sqr (a - c)) as Hsq; unfold Rsqr in Hsq; lra).
    assert ((a + c) * (a + c) <= 2 * b * (a + c)) by (apply Rmult_le_compat_r; lra).
    apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; assumption. }
  lra.
Qed.

Lemma reciprocal_convex : convex reciprocal.
Proof.
  intros i. unfold reciprocal.
  apply inverse_convex; try (apply lt_0_INR; lia). rewrite !S_INR. lra.
Qed.

(** *** 1 / log2(i + 1) and 1 / (1 + log2 i) = 1 / log2(2 i) *)

Lemma ln2_positive : 0 < ln 2.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma ln_positive x : 1 < x -> 0 < ln x.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma log2_positive x : 1 < x -> 0 < log2 x.
Proof.
  intros H. unfold log2. pose proof ln2_positive.
  apply Rmult_lt_0_compat; [apply ln_positive; exact H|apply Rinv_0_lt_compat; assumption].
Qed.

Lemma log2_increasing x y : 0 < x -> x < y -> log2 x < log2 y.
Proof.
  intros Hx Hxy. unfold log2. pose proof ln2_positive.
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; assumption|apply ln_increasing; assumption].
Qed.

(** log2 a + log2 c <= 2 log2 b when a c <= b^2. *)
Lemma log2_concave a b c : 0 < a -> 0 < b -> 0 < c -> a * c <= b * b -> log2 a + log2 c <= 2 * log2 b.
Proof.
  intros Ha Hb Hc H. unfold log2. pose proof ln2_positive.
  assert (ln a + ln c <= ln b + ln b).
  { rewrite <- !ln_mult by assumption. destruct H as [H|H].
    - left. apply ln_increasing; [apply Rmult_lt_0_compat; assumption|exact H].
    - right. rewrite H. reflexivity. }
  assert (0 < / ln 2) by (apply Rinv_0_lt_compat; assumption).
  unfold Rdiv. nra.
Qed.

Lemma log2_two_times x : 0 < x -> 1 + log2 x = log2 (2 * x).
Proof.
  intros H. unfold log2. rewrite ln_mult by lra. field. apply Rgt_not_eq, ln2_positive.
Qed.

Lemma rank_at_least_one i : 1 <= INR (S i).
Proof. rewrite S_INR. pose proof (pos_INR i). lra. Qed.

Lemma logarithmic_decreasing : decreasing logarithmic.
Proof.
  split; intros i; unfold logarithmic; pose proof (rank_at_least_one i).
  - apply Rinv_0_lt_compat, log2_positive. lra.
  - rewrite (S_INR (S i)). apply Rinv_lt_contravar; [|apply log2_increasing; lra].
    apply Rmult_lt_0_compat; apply log2_positive; lra.
Qed.

Lemma logarithmic_convex : convex logarithmic.
Proof.
  intros i. unfold logarithmic. pose proof (rank_at_least_one i).
  rewrite (S_INR (S (S i))), (S_INR (S i)).
  apply inverse_convex; try (apply log2_positive; lra).
  apply log2_concave; nra.
Qed.

Lemma shifted_is_log i : shifted_log (S i) = / log2 (2 * INR (S i)).
Proof. unfold shifted_log. rewrite log2_two_times; [reflexivity|]. pose proof (rank_at_least_one i). lra. Qed.

Lemma shifted_log_decreasing : decreasing shifted_log.
Proof.
  split; intros i; rewrite ?shifted_is_log; pose proof (rank_at_least_one i).
  - apply Rinv_0_lt_compat, log2_positive. lra.
  - rewrite (S_INR (S i)). apply Rinv_lt_contravar; [|apply log2_increasing; lra].
    apply Rmult_lt_0_compat; apply log2_positive; lra.
Qed.

Lemma shifted_log_convex : convex shifted_log.
Proof.
  intros i. rewrite !shifted_is_log. pose proof (rank_at_least_one i).
  rewrite (S_INR (S (S i))), (S_INR (S i)).
  apply inverse_convex; try (apply log2_positive; lra).
  apply log2_concave; nra.
Qed.

Lemma INR_unbounded x : exists n : nat, x < INR n.
Proof.
  exists (Z.to_nat (up x)). destruct (archimed x) as [H _].
  destruct (Z_le_gt_dec 0 (up x)) as [Hz|Hz].
  - rewrite INR_IZR_INZ, Z2Nat.id by exact Hz. lra.
  - assert (IZR (up x) < 0) by (apply IZR_lt; lia). pose proof (pos_INR (Z.to_nat (up x))). lra.
Qed.

(** ln grows without bound, so the logarithmic discounts vanish: ln 2^k = k ln 2. *)
Lemma INR_pow2_large k : INR k <= 2 ^ k.
Proof.
  induction k as [|k IH]; [simpl; lra|]. rewrite S_INR. simpl.
  assert (1 <= 2 ^ k) by (apply pow_R1_Rle; lra). lra.
Qed.

Lemma log2_pow k : log2 (2 ^ k) = INR k.
Proof.
  unfold log2. pose proof ln2_positive. induction k as [|k IH].
  - simpl. rewrite ln_1. unfold Rdiv. lra.
  - rewrite S_INR, <- IH. simpl. rewrite ln_mult; [field; apply Rgt_not_eq; assumption|lra|apply pow_lt; lra].
Qed.

Lemma inverse_log_vanishes (f : nat -> R) :
  (forall i, INR i <= f i) -> forall eps, 0 < eps -> exists N, forall n, (N <= n)%nat -> / log2 (f n) < eps.
Proof.
  intros Hf eps Heps.
  destruct (INR_unbounded (/ eps)) as [k Hk].
  destruct (INR_unbounded (2 ^ k)) as [N HN].
  exists N. intros n Hn.
  assert (0 < / eps) by (apply Rinv_0_lt_compat; exact Heps).
  assert (2 ^ k < f n) by (pose proof (Hf n); pose proof (le_INR N n Hn); lra).
  assert (INR k < log2 (f n)).
  { rewrite <- log2_pow. apply log2_increasing; [apply pow_lt; lra|assumption]. }
  rewrite <- (Rinv_inv eps). apply Rinv_lt_contravar; [|lra].
  apply Rmult_lt_0_compat; lra.
Qed.

Lemma logarithmic_vanishes : vanishes logarithmic.
Proof.
  intros eps Heps. unfold logarithmic.
  apply (inverse_log_vanishes (fun n => INR (S n) + 1)); [|exact Heps].
  intros i. rewrite S_INR. lra.
Qed.

Lemma shifted_log_vanishes : vanishes shifted_log.
Proof.
  intros eps Heps.
  destruct (inverse_log_vanishes (fun n => 2 * INR (S n))) with (eps := eps) as [N HN]; [|exact Heps|].
  - intros i. rewrite S_INR. pose proof (pos_INR i). lra.
  - exists N. intros n Hn. rewrite shifted_is_log. auto.
Qed.
