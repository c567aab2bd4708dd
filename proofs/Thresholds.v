(** DeepTh and CloseTh: one relevant document first, compared with n relevant ones after n others. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance.
Import ListNotations.
Open Scope R_scope.

(** Novelty between 0 and 1, and 1 before the first relevant document. *)
Record bounded (nu : list R -> R) : Prop := {
  nu_range : forall l, (forall r, In r l -> 0 <= r <= 1) -> 0 <= nu l <= 1;
  nu_first : nu [] = 1
}.

Lemma product_bounded phi l :
  (forall r, 0 <= r <= 1 -> 0 <= phi r <= 1) -> (forall r, In r l -> 0 <= r <= 1) -> 0 <= product phi l <= 1.
Proof.
  intros Hphi. induction l as [|r l IH]; intros H; simpl; [lra|].
  assert (0 <= phi r <= 1) by (apply Hphi, H; left; reflexivity).
  assert (0 <= product phi l <= 1) by (apply IH; intros; apply H; right; assumption). nra.
Qed.

Lemma always_bounded : bounded always.
Proof. split; unfold always; intros; lra. Qed.

Lemma cascade_bounded : bounded cascade.
Proof.
  split; [|reflexivity]. intros l H. rewrite cascade_product. apply product_bounded; [|exact H].
  unfold phi_cascade. intros; lra.
Qed.

Lemma decay_bounded alpha : 0 < alpha < 1 -> bounded (decay alpha).
Proof.
  intros Ha. split; [|reflexivity]. intros l H. rewrite decay_product. apply product_bounded; [|exact H].
  unfold phi_decay. intros r _. destruct (Rlt_dec 0 r); lra.
Qed.

Lemma cube_bounded alpha : 0 < alpha < 1 -> bounded (cube alpha 1).
Proof.
  intros Ha. split.
  - intros l H. unfold cube. destruct (Rlt_dec (sum_list l) 1); [|lra].
    apply nu_range; [apply decay_bounded; exact Ha|exact H].
  - unfold cube. simpl. destruct (Rlt_dec 0 1); [reflexivity|lra].
Qed.

(** ** The two rankings *)

Lemma one_first_score m r :
  weighs_one m -> bounded (novelty m) ->
  single (score m) (one_first r) = discount m 1 * r - effort m * discount m 1.
Proof.
  intros Hw Hnu. rewrite single_score by exact Hw. unfold one_first, spent. simpl.
  rewrite (nu_first _ Hnu). lra.
Qed.

Lemma padded_score m r n :
  weighs_one m -> bounded (novelty m) -> (1 <= n)%nat ->
  single (score m) (one_first_padded r n) = discount m 1 * r - spent m (2 * n).
Proof.
  intros Hw Hnu Hn. rewrite single_score by exact Hw. unfold one_first_padded. cbn [value length].
  rewrite value_zeros, repeat_length, (nu_first _ Hnu).
  replace (S (2 * n - 1)) with (2 * n)%nat by lia. simpl (S O). lra.
Qed.

Lemma behind_score m r n :
  weighs_one m ->
  single (score m) (n_behind_n r n) =
  value (discount m) (novelty m) (repeat 0 n) (repeat r n) - spent m (2 * n).
Proof.
  intros Hw. rewrite single_score by exact Hw. unfold n_behind_n.
  rewrite value_app, value_zeros, app_length, !repeat_length. simpl.
  replace (n + (n + 0))%nat with (n + n)%nat by lia. lra.
Qed.

Lemma behind_score_product m phi r n :
  weighs_one m -> multiplies m phi -> phi 0 = 1 ->
  single (score m) (n_behind_n r n) =
  r * sum_to n (fun j => discount m (S (n + j)) * phi r ^ j) - spent m (2 * n).
Proof.
  intros Hw Hm Hzero. rewrite behind_score by exact Hw.
  rewrite (value_by_product _ phi) by exact Hm.
  rewrite product_repeat, Hzero, pow1, repeat_length, fresh_repeat. lra.
Qed.

(** Novelty of at most 1: the gain of n documents is at most the sum of their discounts. *)
Lemma value_repeat_bound m above r n :
  bounded (novelty m) -> decreasing (discount m) -> 0 <= r <= 1 -> (forall x, In x above -> 0 <= x <= 1) ->
  value (discount m) (novelty m) above (repeat r n)
  <= r * sum_to n (fun j => discount m (S (length above + j))).
Proof.
  intros Hnu HD Hr. revert above. induction n as [|n IH]; intros above Ha; [simpl; lra|].
  rewrite sum_to_first. cbn [repeat value]. rewrite Nat.add_0_r.
  pose proof (nu_range _ Hnu above Ha). pose proof (positive _ HD (length above)).
  assert (r * novelty m above <= r) by nra.
  assert (discount m (S (length above)) * (r * novelty m above) <= discount m (S (length above)) * r)
    by (apply Rmult_le_compat_l; lra).
  specialize (IH (above ++ [r])). rewrite app_length in IH. simpl in IH.
  rewrite (sum_to_ext n (fun j => discount m (S (length above + S j)))
                        (fun j => discount m (S (length above + 1 + j)))).
  - assert (Hin : forall x, In x (above ++ [r]) -> 0 <= x <= 1).
    { intros x Hx. apply in_app_or in Hx as [Hx|[<-|[]]]; auto. }
    specialize (IH Hin). lra.
  - intros j _. f_equal. lia.
Qed.

Lemma behind_bound m r n :
  weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> 0 <= r <= 1 ->
  single (score m) (n_behind_n r n) <= r * sum_to n (fun j => discount m (S (n + j))) - spent m (2 * n).
Proof.
  intros Hw Hnu HD Hr. rewrite behind_score by exact Hw.
  pose proof (value_repeat_bound m (repeat 0 n) r n Hnu HD Hr) as H. rewrite repeat_length in H.
  assert (forall x, In x (repeat 0 n) -> 0 <= x <= 1) by (intros x Hx; apply repeat_spec in Hx; subst; lra).
  specialize (H H0). lra.
Qed.

Lemma spent_grows m a b :
  decreasing (discount m) -> 0 <= effort m -> (a <= b)%nat -> spent m a <= spent m b.
Proof.
  intros HD He Hab. unfold spent. apply Rmult_le_compat_l; [exact He|].
  induction Hab as [|b Hab IH]; [lra|]. simpl. pose proof (positive _ HD b). lra.
Qed.

Lemma spent_first m n :
  decreasing (discount m) -> 0 <= effort m -> (1 <= n)%nat -> effort m * discount m 1 <= spent m n.
Proof.
  intros HD He Hn. pose proof (spent_grows m 1 n HD He Hn) as H.
  replace (spent m 1) with (effort m * discount m 1) in H by (unfold spent; simpl; lra). exact H.
Qed.

(** ** DeepTh *)

(** As written n = 1 is enough. *)
Theorem deepth_as_written m :
  weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> 0 <= effort m ->
  DeepTh_as_written (score m).
Proof.
  intros Hw Hnu HD He r Hr. exists 1%nat. split; [lia|].
  rewrite one_first_score by assumption.
  pose proof (behind_bound m r 1 Hw Hnu HD ltac:(lra)) as H. simpl in H. unfold spent in H. simpl in H.
  pose proof (falls _ HD 0). pose proof (positive _ HD 1).
  assert (0 <= effort m * discount m 2) by (apply Rmult_le_pos; lra).
  assert (r * discount m 2 < r * discount m 1) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

Theorem deepth_charitable m :
  weighs_one m -> bounded (novelty m) -> decreasing (discount m) ->
  (exists N, forall n, (1 <= n)%nat -> (N <= n)%nat -> sum_to n (fun j => discount m (S (n + j))) < discount m 1) ->
  DeepTh_charitable (score m).
Proof.
  intros Hw Hnu HD [N HN] r Hr. exists N. intros n Hn HNn.
  rewrite padded_score by assumption.
  pose proof (behind_bound m r n Hw Hnu HD ltac:(lra)). specialize (HN n Hn HNn).
  assert (r * sum_to n (fun j => discount m (S (n + j))) < r * discount m 1) by (apply Rmult_lt_compat_l; lra).
  lra.
Qed.

(** If novelty decreases by phi(r) <= q < 1, a vanishing discount suffices: D(n+1) < (1 - q) D(1). *)
Theorem deepth_charitable_fading m phi q :
  weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> multiplies m phi -> phi 0 = 1 ->
  0 <= q < 1 -> (forall r, 0 < r < 1 -> 0 <= phi r <= q) -> vanishes (discount m) ->
  DeepTh_charitable (score m).
Proof.
  intros Hw Hnu HD Hm Hzero Hq Hphi Hv r Hr.
  destruct (Hv ((1 - q) * discount m 1)) as [N HN].
  { pose proof (positive _ HD 0). apply Rmult_lt_0_compat; lra. }
  exists N. intros n Hn HNn. rewrite padded_score by assumption.
  rewrite (behind_score_product m phi) by assumption.
  specialize (HN n HNn). pose proof (Hphi r Hr) as Hpr.
  assert (sum_to n (fun j => discount m (S (n + j)) * phi r ^ j) <= discount m (S n) * sum_to n (fun j => q ^ j)).
  { rewrite <- sum_to_scal. apply sum_to_le. intros j _.
    assert (0 <= phi r ^ j) by (apply pow_le; lra). assert (phi r ^ j <= q ^ j) by (apply pow_incr; lra).
    pose proof (positive _ HD (n + j)). pose proof (decreasing_le _ n (n + j) HD ltac:(lia)).
    apply Rmult_le_compat; lra. }
  pose proof (geometric_sum q n) as Hg. assert (0 <= q ^ n) by (apply pow_le; lra).
  pose proof (positive _ HD n).
  assert (sum_to n (fun j => discount m (S (n + j)) * phi r ^ j) < discount m 1).
  { assert ((1 - q) * (discount m (S n) * sum_to n (fun j => q ^ j)) <= discount m (S n)).
    { replace ((1 - q) * (discount m (S n) * sum_to n (fun j => q ^ j)))
        with (discount m (S n) * ((1 - q) * sum_to n (fun j => q ^ j))) by ring.
      rewrite Hg. nra. }
    assert ((1 - q) * (discount m (S n) * sum_to n (fun j => q ^ j)) < (1 - q) * discount m 1) by lra.
    assert (discount m (S n) * sum_to n (fun j => q ^ j) < discount m 1)
      by (apply Rmult_lt_reg_l with (1 - q); lra). lra. }
  assert (r * sum_to n (fun j => discount m (S (n + j)) * phi r ^ j) < r * discount m 1)
    by (apply Rmult_lt_compat_l; lra).
  lra.
Qed.

(** ** CloseTh where no m suffices *)

Theorem never_close m :
  weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> 0 <= effort m ->
  (forall n, (1 <= n)%nat -> sum_to n (fun j => discount m (S (n + j))) < discount m 1) ->
  forall r, 0 < r < 1 -> ~ CloseTh_at (score m) r /\ ~ CloseTh_padded_at (score m) r.
Proof.
  intros Hw Hnu HD He H r Hr.
  assert (Hbelow : forall n, (1 <= n)%nat ->
    single (score m) (n_behind_n r n) < discount m 1 * r - spent m (2 * n)).
  { intros n Hn. pose proof (behind_bound m r n Hw Hnu HD ltac:(lra)). specialize (H n Hn).
    assert (r * sum_to n (fun j => discount m (S (n + j))) < r * discount m 1) by (apply Rmult_lt_compat_l; lra).
    lra. }
  split; intros [n [Hn Hlt]]; specialize (Hbelow n Hn).
  - rewrite one_first_score in Hlt by assumption.
    pose proof (spent_first m (2 * n) HD He ltac:(lia)). lra.
  - rewrite padded_score in Hlt by assumption. lra.
Qed.

Lemma never_padded_never_charitable Q :
  (forall r, 0 < r < 1 -> ~ CloseTh_padded_at Q r) -> ~ CloseTh_charitable Q.
Proof.
  intros H [m [eps [Hm [Heps Hlt]]]].
  set (r := Rmin (eps / 2) (1 / 2)).
  assert (0 < r < eps /\ r < 1).
  { unfold r, Rmin. destruct (Rle_dec (eps / 2) (1 / 2)); lra. }
  apply (H r ltac:(lra)). exists m. split; [exact Hm|]. apply Hlt. lra.
Qed.

Lemma never_never_as_written Q : (forall r, 0 < r < 1 -> ~ CloseTh_at Q r) -> ~ CloseTh_as_written Q.
Proof. intros H Hall. apply (H (1 / 2) ltac:(lra)). apply Hall. lra. Qed.

(** ** CloseTh where novelty is a product: exactly which r and m *)

(** With both rankings padded effort cancels: sum_{j < m} D(m + j + 1) phi(r)^j > D(1). *)
Theorem close_padded_iff m phi r :
  weighs_one m -> bounded (novelty m) -> multiplies m phi -> phi 0 = 1 -> 0 < r ->
  CloseTh_padded_at (score m) r <->
  exists n, (1 <= n)%nat /\ discount m 1 < sum_to n (fun j => discount m (S (n + j)) * phi r ^ j).
Proof.
  intros Hw Hnu Hm Hzero Hr. unfold CloseTh_padded_at.
  split; intros [n [Hn H]]; exists n; (split; [exact Hn|]).
  - rewrite padded_score in H by assumption. rewrite (behind_score_product m phi) in H by assumption.
    apply Rmult_lt_reg_l with r; lra.
  - rewrite padded_score by assumption. rewrite (behind_score_product m phi) by assumption.
    apply Rmult_lt_compat_l with (r := r) in H; lra.
Qed.

(** As written the longer ranking also pays for ranks 2 .. 2m. *)
Theorem close_as_written_iff m phi r :
  weighs_one m -> bounded (novelty m) -> multiplies m phi -> phi 0 = 1 ->
  CloseTh_at (score m) r <->
  exists n, (1 <= n)%nat /\
    effort m * sum_to (2 * n - 1) (fun i => discount m (S (S i)))
    < r * (sum_to n (fun j => discount m (S (n + j)) * phi r ^ j) - discount m 1).
Proof.
  intros Hw Hnu Hm Hzero. unfold CloseTh_at.
  assert (Hspent : forall n, (1 <= n)%nat ->
    spent m (2 * n) = effort m * discount m 1 + effort m * sum_to (2 * n - 1) (fun i => discount m (S (S i)))).
  { intros n Hn. unfold spent. replace (2 * n)%nat with (S (2 * n - 1)) at 1 by lia.
    rewrite sum_to_first. lra. }
  split; intros [n [Hn H]]; exists n; (split; [exact Hn|]).
  - rewrite one_first_score in H by assumption. rewrite (behind_score_product m phi) in H by assumption.
    rewrite Hspent in H by exact Hn. lra.
  - rewrite one_first_score by assumption. rewrite (behind_score_product m phi) by assumption.
    rewrite Hspent by exact Hn. lra.
Qed.

(** ** Sums of discounts *)

(** 1/(n+1) + ... + 1/(2n) < 1 *)
Lemma reciprocal_tail n : (1 <= n)%nat -> sum_to n (fun j => reciprocal (S (n + j))) < reciprocal 1.
Proof.
  intros Hn. unfold reciprocal.
  assert (Hle : sum_to n (fun j => / INR (S (n + j))) <= sum_to n (fun j => / INR (S n) * 1)).
  { apply sum_to_le. intros j _. rewrite Rmult_1_r.
    apply Rinv_le_contravar; [apply lt_0_INR; lia|apply le_INR; lia]. }
  rewrite sum_to_scal in Hle.
  assert (Hones : forall k, sum_to k (fun _ => 1) = INR k).
  { induction k as [|k IH]; [reflexivity|]. rewrite S_INR. simpl. rewrite IH. reflexivity. }
  rewrite Hones in Hle.
  assert (/ INR (S n) * INR n < 1).
  { assert (0 < INR (S n)) by (apply lt_0_INR; lia).
    apply Rmult_lt_reg_l with (INR (S n)); [assumption|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra. rewrite S_INR. lra. }
  change (INR 1) with 1. rewrite Rinv_1. lra.
Qed.

(** c p^(n+1) + ... + c p^(2n) < c p once p^n <= 1 - p, here with the first discount c = D(1). *)
Lemma geometric_tail (D : nat -> R) c p :
  0 < p < 1 -> 0 < c -> (forall i, D (S i) = c * p ^ i) ->
  exists N, forall n, (1 <= n)%nat -> (N <= n)%nat -> sum_to n (fun j => D (S (n + j))) < D 1%nat.
Proof.
  intros Hp Hc HD. destruct (powers_vanish p Hp (1 - p) ltac:(lra)) as [N HN].
  exists N. intros n _ Hn. specialize (HN n Hn). rewrite HD. simpl pow.
  rewrite (sum_to_ext n _ (fun j => (c * p ^ n) * p ^ j)).
  2:{ intros j _. rewrite HD, pow_add. lra. }
  rewrite (sum_to_scal n (c * p ^ n) (fun j => p ^ j)). pose proof (geometric_sum p n) as Hg.
  assert (0 < p ^ n) by (apply pow_lt; lra).
  assert (0 < c * p ^ n) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_lt_reg_l with (1 - p); [lra|].
  replace ((1 - p) * (c * p ^ n * sum_to n (fun j => p ^ j)))
    with ((c * p ^ n) * ((1 - p) * sum_to n (fun j => p ^ j))) by ring.
  rewrite Hg. assert (c * p ^ n < c * (1 - p)) by (apply Rmult_lt_compat_l; lra). nra.
Qed.

(** ** The border of CloseTh for p^i is that of m = 2 *)

Section Border.
Variables (p x : R).
Hypothesis Hp : 0 < p < 1.
Hypothesis Hx : 0 <= x <= p.

Definition powers (m : nat) : R := sum_to m (fun j => x ^ j).

Lemma border_step : p * p * (1 + x) <= 1 -> p * (1 + x + x * x) <= 1 + x.
Proof.
  intros H.
  assert (Hsq : x * x <= p * p) by (apply Rmult_le_compat; lra).
  assert (Hcubic : x * x * (1 + x) <= p * p * (1 + x)) by (apply Rmult_le_compat_r; lra).
  assert (Hpos : 0 <= x * (1 - x * x * (1 + x))) by (apply Rmult_le_pos; lra).
  assert (Hsquares : (1 + x + x * x) * (1 + x + x * x) <= (1 + x) * ((1 + x) * (1 + x))) by lra.
  destruct (Rle_or_lt (p * (1 + x + x * x)) (1 + x)) as [Hle|Hgt]; [exact Hle|exfalso].
  assert (Hlt : (1 + x) * (1 + x) < (p * (1 + x + x * x)) * (p * (1 + x + x * x)))
    by (apply Rmult_le_0_lt_compat; lra).
  assert ((p * p * (1 + x)) * ((1 + x + x * x) * (1 + x + x * x)) <= 1 * ((1 + x + x * x) * (1 + x + x * x)))
    by (apply Rmult_le_compat_r; [apply Rle_0_sqr|exact H]).
  assert ((1 + x) * ((1 + x) * (1 + x)) < (1 + x) * ((p * (1 + x + x * x)) * (p * (1 + x + x * x))))
    by (apply Rmult_lt_compat_l; lra).
  lra.
Qed.

(** If m = 2 does not reach 1, no m does. *)
Lemma border_below : p * p * (1 + x) <= 1 -> forall m, (1 <= m)%nat -> p ^ m * powers m <= 1.
Proof.
  intros H m Hm. pose proof (border_step H) as Hstep.
  destruct m as [|[|m]]; [lia|unfold powers; simpl; lra|]. clear Hm.
  assert (Hinv : p ^ S (S m) * powers (S (S m)) <= 1 /\ 1 + x <= powers (S (S m))).
  { induction m as [|m [IH1 IH2]].
    - unfold powers. simpl. split; nra.
    - set (k := S (S m)) in *.
      assert (Hpow : 0 <= x ^ k <= x * x).
      { split; [apply pow_le; lra|]. unfold k. simpl.
        assert (0 <= x ^ m) by (apply pow_le; lra).
        assert (x ^ m <= 1) by (rewrite <- (pow1 m); apply pow_incr; lra).
        nra. }
      assert (Hs : powers (S k) = powers k + x ^ k) by reflexivity.
      rewrite Hs. split; [|lra].
      assert (Hratio : p * (powers k + x ^ k) <= powers k).
      { assert (p * x ^ k <= p * (x * x)) by (apply Rmult_le_compat_l; lra).
        assert ((1 - p) * (1 + x) <= (1 - p) * powers k) by (apply Rmult_le_compat_l; lra). lra. }
      assert (0 < p ^ k) by (apply pow_lt; lra).
      change (p ^ S k) with (p * p ^ k).
      assert (p ^ k * (p * (powers k + x ^ k)) <= p ^ k * powers k) by (apply Rmult_le_compat_l; lra). lra. }
  exact (proj1 Hinv).
Qed.

End Border.

Lemma border_sum p q m : sum_to m (fun j => p ^ (m + j) * q ^ j) = p ^ m * powers (p * q) m.
Proof.
  unfold powers. rewrite <- sum_to_scal. apply sum_to_ext. intros j _.
  rewrite pow_add, Rpow_mult_distr. lra.
Qed.

(** Some m has sum_{j < m} p^(m+j) q^j > 1 exactly if m = 2 has: p^2 + p^3 q > 1. *)
Theorem geometric_border p q :
  0 < p < 1 -> 0 <= q <= 1 ->
  (exists m, (1 <= m)%nat /\ 1 < sum_to m (fun j => p ^ (m + j) * q ^ j)) <-> 1 < p ^ 2 + p ^ 3 * q.
Proof.
  intros Hp Hq. assert (Hx : 0 <= p * q <= p) by (split; nra). split.
  - intros [m [Hm H]]. rewrite border_sum in H.
    destruct (Rlt_le_dec 1 (p ^ 2 + p ^ 3 * q)) as [Hlt|Hle]; [exact Hlt|exfalso].
    assert (Htwo : p * p * (1 + p * q) <= 1) by (simpl in Hle; lra).
    pose proof (border_below p (p * q) Hp Hx Htwo m Hm). lra.
  - intros H. exists 2%nat. split; [lia|]. simpl in *. lra.
Qed.

(** The same for D(i) = c p^(i-1). *)
Theorem close_geometric m c p phi r :
  weighs_one m -> bounded (novelty m) -> multiplies m phi -> phi 0 = 1 ->
  0 < p < 1 -> 0 < c -> (forall i, discount m (S i) = c * p ^ i) -> 0 < r -> 0 <= phi r <= 1 ->
  CloseTh_padded_at (score m) r <-> 1 < p ^ 2 + p ^ 3 * phi r.
Proof.
  intros Hw Hnu Hm Hzero Hp Hc HD Hr Hphi.
  rewrite (close_padded_iff m phi r) by assumption.
  rewrite <- (geometric_border p (phi r) Hp Hphi).
  assert (E : forall n, sum_to n (fun j => discount m (S (n + j)) * phi r ^ j)
                        = c * sum_to n (fun j => p ^ (n + j) * phi r ^ j)).
  { intros n. rewrite <- sum_to_scal. apply sum_to_ext. intros j _. rewrite HD. lra. }
  assert (E1 : discount m 1 = c * 1) by (rewrite HD; simpl; lra).
  split; intros [n [Hn H]]; exists n; (split; [exact Hn|]); rewrite E, E1 in *.
  - apply Rmult_lt_reg_l with c; lra.
  - apply Rmult_lt_compat_l; lra.
Qed.

(** Without effort padding changes nothing. *)
Lemma close_without_effort m r :
  weighs_one m -> bounded (novelty m) -> effort m = 0 ->
  CloseTh_at (score m) r <-> CloseTh_padded_at (score m) r.
Proof.
  intros Hw Hnu He. unfold CloseTh_at, CloseTh_padded_at.
  split; intros [n [Hn H]]; exists n; (split; [exact Hn|]).
  - rewrite padded_score by assumption. rewrite one_first_score in H by assumption.
    unfold spent. rewrite He in *. lra.
  - rewrite one_first_score by assumption. rewrite padded_score in H by assumption.
    unfold spent in H. rewrite He in *. lra.
Qed.

(** With effort, an m that suffices as written also suffices with padded rankings. *)
Lemma close_needs_padded m r :
  weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> 0 <= effort m ->
  CloseTh_at (score m) r -> CloseTh_padded_at (score m) r.
Proof.
  intros Hw Hnu HD He [n [Hn H]]. exists n. split; [exact Hn|].
  rewrite padded_score by assumption. rewrite one_first_score in H by assumption.
  pose proof (spent_first m (2 * n) HD He ltac:(lia)). lra.
Qed.

(** ** The charitable CloseTh where phi does not depend on the relevance: none and decay *)

Theorem closeth_charitable_constant m phi q :
  weighs_one m -> bounded (novelty m) -> multiplies m phi -> phi 0 = 1 -> (forall r, 0 < r -> phi r = q) ->
  CloseTh_charitable (score m) <->
  exists n, (1 <= n)%nat /\ discount m 1 < sum_to n (fun j => discount m (S (n + j)) * q ^ j).
Proof.
  intros Hw Hnu Hm Hzero Hq. split.
  - intros [n [eps [Hn [Heps H]]]]. exists n. split; [exact Hn|].
    specialize (H (eps / 2) ltac:(lra)).
    rewrite padded_score in H by assumption. rewrite (behind_score_product m phi) in H by assumption.
    rewrite (Hq (eps / 2)) in H by lra. apply Rmult_lt_reg_l with (eps / 2); lra.
  - intros [n [Hn H]]. exists n, 1. split; [exact Hn|]. split; [lra|]. intros r Hr.
    rewrite padded_score by assumption. rewrite (behind_score_product m phi) by assumption.
    rewrite (Hq r) by lra. apply Rmult_lt_compat_l with (r := r) in H; lra.
Qed.

Theorem closeth_padded_constant m phi q r :
  weighs_one m -> bounded (novelty m) -> multiplies m phi -> phi 0 = 1 -> (forall r, 0 < r -> phi r = q) -> 0 < r ->
  CloseTh_padded_at (score m) r <->
  exists n, (1 <= n)%nat /\ discount m 1 < sum_to n (fun j => discount m (S (n + j)) * q ^ j).
Proof.
  intros Hw Hnu Hm Hzero Hq Hr. rewrite (close_padded_iff m phi r) by assumption. rewrite (Hq r Hr). reflexivity.
Qed.

Theorem closeth_charitable_geometric m phi q c p :
  weighs_one m -> bounded (novelty m) -> multiplies m phi -> phi 0 = 1 -> (forall r, 0 < r -> phi r = q) ->
  0 < p < 1 -> 0 < c -> (forall i, discount m (S i) = c * p ^ i) -> 0 <= q <= 1 ->
  CloseTh_charitable (score m) <-> 1 < p ^ 2 + p ^ 3 * q.
Proof.
  intros Hw Hnu Hm Hzero Hphi Hp Hc HD Hq.
  rewrite (closeth_charitable_constant m phi q) by assumption.
  rewrite <- (closeth_padded_constant m phi q (1 / 2)) by (assumption || lra).
  rewrite <- (Hphi (1 / 2)) by lra.
  apply (close_geometric m c p phi (1 / 2)); try assumption; [lra|]. rewrite Hphi by lra. exact Hq.
Qed.

Lemma phi_decay_constant alpha r : 0 < r -> phi_decay alpha r = 1 - alpha.
Proof. intros Hr. unfold phi_decay. destruct (Rlt_dec 0 r); [reflexivity|contradiction]. Qed.
