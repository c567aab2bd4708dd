(** Numbers for the borders of CloseTh under logarithmic discounts, by exact arithmetic on integers.

    log2 k lies between two fractions of denominator 64, because 2^a <= k^64 <= 2^b; that is enough to decide for each m
    whether sum_{j < m} (1 - alpha)^j D(m + j + 1) exceeds D(1) = 1, and for large m the sum is less than
    D(m + 1) / alpha. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Compute AlphaDcg Eu.
Import ListNotations.
Open Scope R_scope.

(** ** Fractions around 1 / log2 k *)

(** k^64, by six squarings. *)
Definition squared (n : Z) : Z := (n * n)%Z.
Definition power64 (k : Z) : Z := Nat.iter 6 squared k.

Lemma power64_correct k : IZR (power64 k) = IZR k ^ 64.
Proof.
  unfold power64.
  assert (H : forall n, IZR (Nat.iter n squared k) = IZR k ^ (2 ^ n)).
  { induction n as [|n IH]; [simpl; lra|]. simpl Nat.iter. unfold squared at 1. rewrite mult_IZR, IH.
    rewrite <- pow_add. f_equal. simpl. lia. }
  rewrite H. f_equal.
Qed.

Lemma log2_of_pow x n : 0 < x -> log2 (x ^ n) = INR n * log2 x.
Proof.
  intros Hx. unfold log2. induction n as [|n IH].
  - simpl. rewrite ln_1. lra.
  - rewrite S_INR. simpl. rewrite ln_mult by (try apply pow_lt; exact Hx).
    unfold Rdiv in *. rewrite Rmult_plus_distr_r, IH. lra.
Qed.

Lemma log2_le x y : 0 < x -> x <= y -> log2 x <= log2 y.
Proof. intros Hx [H| ->]; [left; apply log2_increasing; assumption|right; reflexivity]. Qed.

Lemma log2_of_integer z : (0 <= z)%Z -> log2 (IZR (2 ^ z)) = IZR z.
Proof.
  intros Hz. rewrite <- (Z2Nat.id z) by exact Hz. rewrite <- pow_IZR, log2_pow, INR_IZR_INZ. reflexivity.
Qed.

(** The exponents a and b of 2^a <= k^64 <= 2^b. *)
Definition below_log (k : Z) : BinNums.positive := Z.to_pos (Z.log2 (power64 k)).
Definition above_log (k : Z) : BinNums.positive := Z.to_pos (Z.log2_up (power64 k)).

Lemma power64_large k : (2 <= k)%Z -> (1 < power64 k)%Z.
Proof.
  intros Hk. apply lt_IZR. rewrite power64_correct.
  assert (2 <= IZR k) by (apply (IZR_le 2); exact Hk).
  assert (2 ^ 64 <= IZR k ^ 64) by (apply pow_incr; lra).
  assert (1 < 2 ^ 64) by (apply Rlt_pow_R1; [lra|lia]). lra.
Qed.

Lemma inverse_log_bounds k :
  (2 <= k)%Z -> Q2R (64 # above_log k) <= / log2 (IZR k) <= Q2R (64 # below_log k).
Proof.
  intros Hk. pose proof (power64_large k Hk) as Hlarge.
  assert (Hk2 : 2 <= IZR k) by (apply (IZR_le 2); exact Hk).
  assert (Hlog : 0 < log2 (IZR k)) by (apply log2_positive; lra).
  assert (E : log2 (IZR (power64 k)) = 64 * log2 (IZR k)).
  { rewrite power64_correct, log2_of_pow by lra. f_equal. rewrite INR_IZR_INZ. reflexivity. }
  pose proof (Z.log2_spec (power64 k) ltac:(lia)) as [Hlow _].
  pose proof (Z.log2_up_spec (power64 k) Hlarge) as [_ Hhigh].
  pose proof (Z.log2_pos (power64 k) Hlarge) as Hpos.
  pose proof (Z.le_log2_log2_up (power64 k)) as Hupdown.
  assert (Hl : IZR (Z.log2 (power64 k)) <= 64 * log2 (IZR k)).
  { rewrite <- E, <- log2_of_integer by lia. apply log2_le; [apply (IZR_lt 0), Z.pow_pos_nonneg; lia|].
    apply IZR_le. exact Hlow. }
  assert (Hh : 64 * log2 (IZR k) <= IZR (Z.log2_up (power64 k))).
  { rewrite <- E, <- (log2_of_integer (Z.log2_up (power64 k))) by lia.
    apply log2_le; [apply (IZR_lt 0); lia|]. apply IZR_le. exact Hhigh. }
  unfold Q2R, below_log, above_log. cbn [Qnum Qden]. rewrite !Z2Pos.id by lia.
  set (a := Z.log2 (power64 k)) in *. set (b := Z.log2_up (power64 k)) in *. set (l := log2 (IZR k)) in *.
  assert (0 < IZR a) by (apply (IZR_lt 0); lia). assert (0 < IZR b) by (apply (IZR_lt 0); lia).
  replace (/ l) with (64 * / (64 * l)) by (field; lra).
  split; apply Rmult_le_compat_l; try lra; apply Rinv_le_contravar; lra.
Qed.

(** ** Sums of discounts, bounded by fractions *)

Lemma sum_toQ_between n f g h :
  (forall i, (i < n)%nat -> Q2R (f i) <= g i <= Q2R (h i)) ->
  Q2R (sum_toQ n f) <= sum_to n g <= Q2R (sum_toQ n h).
Proof.
  induction n as [|n IH]; intros H; cbn [sum_toQ sum_to]; [rewrite Q2R_0; lra|].
  rewrite !Q2R_red, !Q2R_plus. specialize (IH ltac:(intros; apply H; lia)). specialize (H n ltac:(lia)). lra.
Qed.

Section Sums.
Variable D : nat -> R.
Variable argument : nat -> Z.  (* D(i) = 1 / log2 (argument i) *)
Hypothesis D_is_log : forall i, D (S i) = / log2 (IZR (argument (S i))).
Hypothesis argument_large : forall i, (2 <= argument (S i))%Z.
Hypothesis D_one : D 1%nat = 1.
Hypothesis falling : decreasing D.

Definition weighted_sum (q : R) (m : nat) : R := sum_to m (fun j => D (S (m + j)) * q ^ j).

Definition lower (q : Q) (m : nat) : Q :=
  sum_toQ m (fun j => ((64 # above_log (argument (S (m + j)))) * powerQ q j)%Q).
Definition upper (q : Q) (m : nat) : Q :=
  sum_toQ m (fun j => ((64 # below_log (argument (S (m + j)))) * powerQ q j)%Q).

Lemma weighted_sum_between q m : 0 <= Q2R q -> Q2R (lower q m) <= weighted_sum (Q2R q) m <= Q2R (upper q m).
Proof.
  intros Hq. apply sum_toQ_between. intros j _. rewrite !Q2R_mult, powerQ_correct, D_is_log.
  pose proof (inverse_log_bounds _ (argument_large (m + j))). assert (0 <= Q2R q ^ j) by (apply pow_le; exact Hq).
  split; apply Rmult_le_compat_r; lra.
Qed.

Lemma weighted_sum_grows q q' m : 0 <= q -> q <= q' -> weighted_sum q m <= weighted_sum q' m.
Proof.
  intros Hq Hqq. apply sum_to_le. intros j _. pose proof (positive _ falling (m + j)).
  apply Rmult_le_compat_l; [lra|]. apply pow_incr. lra.
Qed.

(** If some m suffices at q, it suffices at every larger q. *)
Lemma close_from q q' m : Qle_bool 0 q = true -> Qle_bool (lower q m) 1 = false -> Q2R q <= q' -> 1 < weighted_sum q' m.
Proof.
  intros H0 H Hq. apply Qle_bool_iff, Qle_Rle in H0. rewrite Q2R_0 in H0.
  assert (Hlt : (1 < lower q m)%Q).
  { apply Qnot_le_lt. intros Hle. apply Qle_bool_iff in Hle. rewrite Hle in H. discriminate. }
  apply Qlt_Rlt in Hlt. rewrite Q2R_1 in Hlt.
  pose proof (weighted_sum_between q m H0). pose proof (weighted_sum_grows (Q2R q) q' m H0 Hq). lra.
Qed.

(** The upper bounds of D(1), ..., D(n), computed once. *)
Definition table (n : nat) : list Q := map (fun i => 64 # below_log (argument (S i))) (seq 0 n).

Lemma table_at n i : (i < n)%nat -> nth i (table n) 0%Q = 64 # below_log (argument (S i)).
Proof.
  intros Hi. unfold table.
  rewrite (nth_indep _ 0%Q (64 # below_log (argument 1))) by (rewrite map_length, seq_length; exact Hi).
  rewrite (map_nth (fun i => 64 # below_log (argument (S i))) (seq 0 n) O i), seq_nth by exact Hi. reflexivity.
Qed.

Definition upper_by (bounds : list Q) (q : Q) (m : nat) : Q :=
  sum_toQ m (fun j => (nth (m + j) bounds 0 * powerQ q j)%Q).

Lemma sum_toQ_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum_toQ n f = sum_toQ n g.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. simpl. rewrite IH by (intros; apply H; lia).
  rewrite H by lia. reflexivity.
Qed.

Lemma upper_by_table n q m : (2 * m <= n)%nat -> upper_by (table n) q m = upper q m.
Proof. intros H. apply sum_toQ_ext. intros j Hj. rewrite table_at by lia. reflexivity. Qed.

(** No m up to M suffices at q, and from M on the sum is at most D(m + 1) / (1 - q): so none suffices at any smaller q. *)
Definition none_up_to (q : Q) (M : nat) : bool :=
  let bounds := table (2 * M + 1) in
  forallb (fun m => Qle_bool (upper_by bounds q m) 1) (seq 1 M) && Qle_bool (nth M bounds 0%Q) (1 - q).

Lemma never_from q q' M :
  Qle_bool 0 q = true -> none_up_to q M = true -> 0 <= q' <= Q2R q ->
  forall m, (1 <= m)%nat -> weighted_sum q' m <= 1.
Proof.
  intros H0 H Hq m Hm. apply Qle_bool_iff, Qle_Rle in H0. rewrite Q2R_0 in H0.
  unfold none_up_to in H. apply andb_prop in H as [Hnone Htail]. rewrite table_at in Htail by lia.
  pose proof (weighted_sum_grows q' (Q2R q) m (proj1 Hq) (proj2 Hq)) as Hgrow.
  destruct (Nat.le_gt_cases m M) as [HmM|HmM].
  - assert (Hin : In m (seq 1 M)) by (apply in_seq; lia).
    rewrite forallb_forall in Hnone. specialize (Hnone m Hin).
    rewrite upper_by_table in Hnone by lia. apply Qle_bool_iff, Qle_Rle in Hnone.
    rewrite Q2R_1 in Hnone. pose proof (weighted_sum_between q m H0). lra.
  - apply Qle_bool_iff, Qle_Rle in Htail. rewrite Q2R_minus, Q2R_1 in Htail.
    pose proof (inverse_log_bounds _ (argument_large M)) as [_ Hlog]. rewrite <- D_is_log in Hlog.
    pose proof (decreasing_le D M m falling ltac:(lia)) as Hfall. pose proof (positive _ falling m) as Hpos.
    set (r := Q2R q) in *.
    assert (Hle : weighted_sum r m <= D (S m) * sum_to m (fun j => r ^ j)).
    { unfold weighted_sum. rewrite <- sum_to_scal. apply sum_to_le. intros j _.
      apply Rmult_le_compat_r; [apply pow_le; exact H0|]. apply decreasing_le; [exact falling|lia]. }
    pose proof (geometric_sum r m) as Hg. assert (0 <= r ^ m) by (apply pow_le; exact H0).
    assert (0 <= sum_to m (fun j => r ^ j)).
    { rewrite <- (sum_to_zero m (fun _ => 0)) by reflexivity. apply sum_to_le. intros j _. apply pow_le. exact H0. }
    assert (D (S m) * sum_to m (fun j => r ^ j) <= (1 - r) * sum_to m (fun j => r ^ j))
      by (apply Rmult_le_compat_r; lra).
    lra.
Qed.
End Sums.

(** ** alpha-DCG: CloseTh holds for alpha <= 0.25 and fails for alpha >= 0.26 *)

Definition log_argument (i : nat) : Z := (Z.of_nat i + 1)%Z.

Lemma logarithmic_argument i : logarithmic (S i) = / log2 (IZR (log_argument (S i))).
Proof. unfold logarithmic, log_argument. rewrite plus_IZR, <- INR_IZR_INZ. reflexivity. Qed.

Lemma log_argument_large i : (2 <= log_argument (S i))%Z.
Proof. unfold log_argument. lia. Qed.

Lemma log2_two : log2 2 = 1.
Proof. unfold log2. apply Rinv_r. apply Rgt_not_eq, ln2_positive. Qed.

Lemma logarithmic_one : logarithmic 1 = 1.
Proof. unfold logarithmic. simpl INR. replace (1 + 1) with 2 by lra. rewrite log2_two. apply Rinv_1. Qed.

Theorem alpha_dcg_closeth_below alpha : 0 < alpha <= 25 / 100 -> CloseTh_charitable (alpha_DCG alpha).
Proof.
  intros Ha. apply alpha_dcg_closeth_iff; [lra|]. exists 6%nat. split; [lia|]. rewrite logarithmic_one.
  apply (close_from logarithmic log_argument logarithmic_argument log_argument_large logarithmic_decreasing
           (75 # 100) (1 - alpha) 6); [reflexivity|vm_cast_no_check (eq_refl false)|].
  unfold Q2R. simpl. lra.
Qed.

Theorem alpha_dcg_closeth_above alpha : 26 / 100 <= alpha < 1 -> ~ CloseTh_charitable (alpha_DCG alpha).
Proof.
  intros Ha H. apply alpha_dcg_closeth_iff in H; [|lra]. destruct H as [m [Hm H]]. rewrite logarithmic_one in H.
  assert (Hle : weighted_sum logarithmic (1 - alpha) m <= 1).
  { apply (never_from logarithmic log_argument logarithmic_argument log_argument_large logarithmic_decreasing
             (74 # 100) (1 - alpha) 14); [reflexivity|vm_cast_no_check (eq_refl true)| |exact Hm].
    unfold Q2R. simpl. lra. }
  unfold weighted_sum in Hle. lra.
Qed.

(** ** EU: CloseTh holds for alpha <= 0.18 and fails for alpha >= 0.19 *)

Definition shifted_argument (i : nat) : Z := (2 * Z.of_nat i)%Z.

Lemma shifted_log_argument i : shifted_log (S i) = / log2 (IZR (shifted_argument (S i))).
Proof. rewrite shifted_is_log. unfold shifted_argument. rewrite mult_IZR, <- INR_IZR_INZ. reflexivity. Qed.

Lemma shifted_argument_large i : (2 <= shifted_argument (S i))%Z.
Proof. unfold shifted_argument. lia. Qed.

Lemma shifted_log_one : shifted_log 1 = 1.
Proof. rewrite shifted_is_log. simpl INR. rewrite Rmult_1_r, log2_two. apply Rinv_1. Qed.

Theorem eu_closeth_below alpha e : 0 < alpha <= 18 / 100 -> CloseTh_charitable (EU alpha e).
Proof.
  intros Ha. apply eu_closeth_iff; [lra|]. exists 12%nat. split; [lia|]. rewrite shifted_log_one.
  apply (close_from shifted_log shifted_argument shifted_log_argument shifted_argument_large shifted_log_decreasing
           (82 # 100) (1 - alpha) 12); [reflexivity|vm_cast_no_check (eq_refl false)|].
  unfold Q2R. simpl. lra.
Qed.

Theorem eu_closeth_above alpha e : 19 / 100 <= alpha < 1 -> ~ CloseTh_charitable (EU alpha e).
Proof.
  intros Ha H. apply eu_closeth_iff in H; [|lra]. destruct H as [m [Hm H]]. rewrite shifted_log_one in H.
  assert (Hle : weighted_sum shifted_log (1 - alpha) m <= 1).
  { apply (never_from shifted_log shifted_argument shifted_log_argument shifted_argument_large shifted_log_decreasing
             (81 # 100) (1 - alpha) 23); [reflexivity|vm_cast_no_check (eq_refl true)| |exact Hm].
    unfold Q2R. simpl. lra. }
  unfold weighted_sum in Hle. lra.
Qed.
