(** RBU, all ten constraints: every length, every number of aspects, all weights, every 0 < p < 1 and e > 0. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity Cutoffs Within.
Import ListNotations.
Open Scope R_scope.

Section RBU.
Variables (p e : R).
Hypothesis Hp : 0 < p < 1.
Hypothesis He : 0 < e.

Let m := Sum given (geometric p) cascade e.

Let one : weighs_one m.
Proof. reflexivity. Qed.

Let counts_all : weighs_all m.
Proof. exact (given_weighs_all _ _ _). Qed.

Let even : weighs_evenly m.
Proof. exact (given_weighs_evenly _ _ _). Qed.

Let falling : decreasing (discount m).
Proof. exact (geometric_decreasing p Hp). Qed.

Let curved : strictly_convex (discount m).
Proof. exact (geometric_convex p Hp). Qed.

Let product_of_cascade : multiplies m phi_cascade.
Proof. exact cascade_product. Qed.

Let novel : bounded (novelty m).
Proof. exact cascade_bounded. Qed.

Let paid : 0 <= effort m.
Proof. simpl. lra. Qed.

(** *** Pri *)

Theorem rbu_pri_as_written : Pri_as_written (RBU p e).
Proof. apply (pri_as_written_cascade m); auto. Qed.

Theorem rbu_pri : Pri_charitable (RBU p e).
Proof. apply Pri_charitably, rbu_pri_as_written. Qed.

(** *** Deep *)

Theorem rbu_deep_as_written : Deep_as_written (RBU p e).
Proof.
  apply (deep_product m phi_cascade); auto using cascade_gentle, strictly_convex_convex.
Qed.

Theorem rbu_deep : Deep_charitable (RBU p e).
Proof. apply Deep_charitably, rbu_deep_as_written. Qed.

(** *** DeepTh *)

Theorem rbu_deepth_as_written : DeepTh_as_written (RBU p e).
Proof. apply (deepth_as_written m); auto. Qed.

Theorem rbu_deepth : DeepTh_charitable (RBU p e).
Proof.
  apply (deepth_charitable m); auto.
  apply (geometric_tail (geometric p) p p); [exact Hp|lra|]. intros i. reflexivity.
Qed.

(** *** CloseTh: at a relevance r, iff p^2 + p^3 (1 - r) > 1 *)

Theorem rbu_closeth_at_iff r : 0 < r < 1 -> (CloseTh_padded_at (RBU p e) r <-> 1 < p ^ 2 + p ^ 3 * (1 - r)).
Proof.
  intros Hr. apply (close_geometric m p p phi_cascade r); auto; unfold phi_cascade; try lra.
Qed.

(** If the condition holds, m = 2 suffices for small r. *)
Lemma rbu_two_behind_two :
  1 < p ^ 2 + p ^ 3 ->
  exists eps, 0 < eps /\ forall r, 0 < r < eps ->
    single (RBU p e) (one_first_padded r 2) < single (RBU p e) (n_behind_n r 2).
Proof.
  intros H. assert (Hp3 : 0 < p ^ 3) by (apply pow_lt; lra).
  set (eps := (p ^ 2 + p ^ 3 - 1) / p ^ 3).
  assert (Eeps : eps * p ^ 3 = p ^ 2 + p ^ 3 - 1) by (unfold eps; field; lra).
  assert (Heps : 0 < eps) by (apply Rmult_lt_reg_r with (p ^ 3); lra).
  exists eps. split; [exact Heps|]. intros r Hr.
  unfold RBU. fold m. rewrite (padded_score m) by (auto; lia).
  rewrite (behind_score_product m phi_cascade) by (auto; unfold phi_cascade; lra).
  assert (Hlt : r * p ^ 3 < p ^ 2 + p ^ 3 - 1) by (rewrite <- Eeps; apply Rmult_lt_compat_r; lra).
  assert (Hprod : 0 < r * p * (p ^ 2 + p ^ 3 - 1 - r * p ^ 3))
    by (repeat apply Rmult_lt_0_compat; lra).
  simpl sum_to. unfold phi_cascade, geometric. simpl in *. lra.
Qed.

(** For small r, iff p^2 + p^3 > 1. *)
Theorem rbu_closeth_iff : CloseTh_charitable (RBU p e) <-> 1 < p ^ 2 + p ^ 3.
Proof.
  split.
  - intros [n [eps [Hn [Heps H]]]].
    set (r := Rmin (eps / 2) (1 / 2)).
    assert (Hr : 0 < r < eps /\ r < 1) by (unfold r, Rmin; destruct (Rle_dec (eps / 2) (1 / 2)); lra).
    assert (Hclose : CloseTh_padded_at (RBU p e) r) by (exists n; split; [exact Hn|apply H; lra]).
    apply rbu_closeth_at_iff in Hclose; [|lra].
    assert (0 < p ^ 3) by (apply pow_lt; lra). nra.
  - intros H. destruct (rbu_two_behind_two H) as [eps [Heps Htwo]].
    exists 2%nat, eps. split; [lia|]. split; [exact Heps|exact Htwo].
Qed.

(** As written the longer ranking pays effort for ranks 2 .. 2n, and the condition above is necessary. *)
Theorem rbu_closeth_as_written_iff r :
  CloseTh_at (RBU p e) r <->
  exists n, (1 <= n)%nat /\
    e * sum_to (2 * n - 1) (fun i => p ^ (i + 2)) < r * (sum_to n (fun j => p ^ (n + j + 1) * (1 - r) ^ j) - p).
Proof.
  change (RBU p e) with (score m). rewrite (close_as_written_iff m phi_cascade r) by (auto; unfold phi_cascade; lra).
  assert (E : forall n, sum_to n (fun j => discount m (S (n + j)) * phi_cascade r ^ j)
                        = sum_to n (fun j => p ^ (n + j + 1) * (1 - r) ^ j)).
  { intros n. apply sum_to_ext. intros j _. rewrite Nat.add_1_r. reflexivity. }
  assert (E2 : forall n, sum_to n (fun i => discount m (S (S i))) = sum_to n (fun i => p ^ (i + 2))).
  { intros n. apply sum_to_ext. intros i _. replace (i + 2)%nat with (S (S i)) by lia. reflexivity. }
  assert (E1 : discount m 1 = p) by (simpl; lra).
  split; intros [n [Hn H]]; exists n; (split; [exact Hn|]); rewrite E, E2, E1 in *; exact H.
Qed.

Theorem rbu_closeth_as_written_needs r :
  0 < r < 1 -> CloseTh_at (RBU p e) r -> 1 < p ^ 2 + p ^ 3 * (1 - r).
Proof.
  intros Hr H. apply (rbu_closeth_at_iff r Hr). apply (close_needs_padded m); auto.
Qed.

(** *** Conf needs e > 0 *)

Theorem rbu_conf_as_written : Conf_as_written (RBU p e).
Proof. apply (conf_with_effort m); auto. Qed.

Theorem rbu_conf : Conf_charitable (RBU p e).
Proof. apply Conf_charitably, rbu_conf_as_written. Qed.

(** *** AspDiv *)

Theorem rbu_aspdiv_as_written : AspDiv_as_written (RBU p e).
Proof. apply (aspdiv_as_written_cascade m); auto. Qed.

Theorem rbu_aspdiv : AspDiv_charitable (RBU p e).
Proof. apply AspDiv_charitably, rbu_aspdiv_as_written. Qed.

(** *** Red: holds below full relevance, fails as written *)

Theorem rbu_red : Red_charitable (RBU p e).
Proof. apply (red_charitable_cascade m); auto. Qed.

Theorem rbu_red_as_written_fails : ~ Red_as_written (RBU p e).
Proof.
  apply (red_as_written_fails m); [exact even|]. intros l Hl _. apply cascade_exhausted. exact Hl.
Qed.

(** *** MRed *)

Theorem rbu_mred_as_written : MRed_as_written (RBU p e).
Proof. apply (mred_as_written_cascade m); auto. Qed.

Theorem rbu_mred : MRed_charitable (RBU p e).
Proof. apply MRed_charitably, rbu_mred_as_written. Qed.

(** *** Sat *)

Theorem rbu_sat : Sat_charitable (RBU p e).
Proof. apply (sat_charitable m); auto. intros l Hl _. apply cascade_exhausted. exact Hl. Qed.

Theorem rbu_sat_as_written : Sat_as_written (RBU p e).
Proof. apply Sat_as_written_from_charitable, rbu_sat. Qed.

(** *** AspRel: holds if t and t' occur nowhere else, fails as written *)

Theorem rbu_asprel : AspRel_charitable (RBU p e).
Proof. apply asprel_charitable; [exact falling|exact cascade_ignores_zeros]. Qed.

Theorem rbu_asprel_as_written_fails : ~ AspRel_as_written (RBU p e).
Proof.
  apply (asprel_as_written_fails _ _ _ (1 / 2)); auto; simpl; lra.
Qed.

(** *** With a cutoff: charitably rankings of up to k documents, so that m = 2 needs k >= 4 *)

Theorem rbu_cut_closeth_iff k :
  CloseTh_charitable_within k (cut k (RBU p e)) <-> (4 <= k)%nat /\ 1 < p ^ 2 + p ^ 3.
Proof.
  assert (Evisible : forall l, (length l <= k)%nat -> single (cut k (RBU p e)) l = single (RBU p e) l).
  { intros l Hl. rewrite single_cut, firstn_all2 by exact Hl. reflexivity. }
  assert (Eone : forall r n, (1 <= n)%nat -> (2 * n <= k)%nat ->
    single (cut k (RBU p e)) (one_first_padded r n) = single (RBU p e) (one_first_padded r n)).
  { intros r n Hn Hk. apply Evisible. unfold one_first_padded. cbn [length]. rewrite repeat_length. lia. }
  assert (Emany : forall r n, (2 * n <= k)%nat ->
    single (cut k (RBU p e)) (n_behind_n r n) = single (RBU p e) (n_behind_n r n)).
  { intros r n Hk. apply Evisible. unfold n_behind_n. rewrite app_length, !repeat_length. lia. }
  split.
  - intros [n [eps [Hn [Hk [Heps H]]]]]. split.
    + destruct (Nat.eq_dec n 1) as [->|Hne]; [|lia].
      exfalso. assert (Hr : 0 < eps / 2 < eps) by lra.
      specialize (H (eps / 2) Hr). rewrite Eone, Emany in H by lia.
      unfold RBU in H. fold m in H. rewrite (padded_score m) in H by (auto; lia).
      rewrite (behind_score_product m phi_cascade) in H by (auto; unfold phi_cascade; lra).
      assert (0 < eps / 2 * p * (1 - p)) by (repeat apply Rmult_lt_0_compat; lra).
      simpl sum_to in H. unfold phi_cascade, geometric in H. simpl in H. lra.
    + apply rbu_closeth_iff. exists n, eps. split; [exact Hn|]. split; [exact Heps|].
      intros r Hr. rewrite <- Eone, <- Emany by lia. apply H. exact Hr.
  - intros [Hk H]. destruct (rbu_two_behind_two H) as [eps [Heps Htwo]].
    exists 2%nat, eps. split; [lia|]. split; [lia|]. split; [exact Heps|].
    intros r Hr. rewrite Eone, Emany by lia. apply Htwo. exact Hr.
Qed.

(** *** As written with a cutoff *)

Theorem rbu_cut_deepth_as_written k : (1 <= k)%nat -> DeepTh_as_written (cut k (RBU p e)).
Proof. intros Hk. apply (deepth_cut m); auto. Qed.

Theorem rbu_cut_sat_as_written k : Sat_as_written (cut k (RBU p e)).
Proof. apply sat_cut, rbu_sat. Qed.

(** Of n documents after n others, min(n, k - n) are within the cutoff, and min(2n, k) ranks cost effort. *)
Lemma behind_cut k r n :
  single (cut k (RBU p e)) (n_behind_n r n) =
  r * sum_to (Nat.min (k - n) n) (fun j => p ^ (n + j + 1) * (1 - r) ^ j) - spent m (Nat.min k (2 * n)).
Proof.
  rewrite single_cut. change (RBU p e) with (score m). rewrite (single_fresh m phi_cascade) by auto.
  unfold n_behind_n. rewrite firstn_length, app_length, !repeat_length.
  replace (n + n)%nat with (2 * n)%nat by lia. f_equal.
  destruct (Nat.le_gt_cases k n) as [Hk|Hk].
  - rewrite firstn_before by (rewrite repeat_length; exact Hk).
    replace (Nat.min (k - n) n) with O by lia. simpl. rewrite Rmult_0_r.
    replace n with (k + (n - k))%nat by lia. rewrite repeat_app.
    rewrite <- (repeat_length 0 k) at 1. rewrite firstn_exact. apply fresh_zeros.
  - rewrite firstn_app, repeat_length, firstn_all2 by (rewrite repeat_length; lia).
    rewrite fresh_app, fresh_zeros, product_repeat, repeat_length. unfold phi_cascade at 1.
    rewrite Rminus_0_r, pow1.
    assert (Hfirst : forall a b, firstn a (repeat r b) = repeat r (Nat.min a b)).
    { induction a as [|a IH]; intros [|b]; simpl; try reflexivity. f_equal. apply IH. }
    rewrite Hfirst, fresh_repeat. rewrite Rplus_0_l, Rmult_1_l. f_equal.
    apply sum_to_ext. intros j _. rewrite Nat.add_1_r. reflexivity.
Qed.

Theorem rbu_cut_closeth_as_written_iff k r :
  (1 <= k)%nat ->
  (CloseTh_at (cut k (RBU p e)) r <->
   exists n, (1 <= n)%nat /\
     e * sum_to (Nat.min k (2 * n) - 1) (fun i => p ^ (i + 2))
     < r * (sum_to (Nat.min (k - n) n) (fun j => p ^ (n + j + 1) * (1 - r) ^ j) - p)).
Proof.
  intros Hk. unfold CloseTh_at.
  assert (Efirst : single (cut k (RBU p e)) (one_first r) = p * r - e * p).
  { rewrite single_cut, firstn_all2 by (simpl; lia). change (RBU p e) with (score m).
    rewrite one_first_score by auto. simpl. unfold geometric. simpl. lra. }
  assert (Espent : forall n, (1 <= n)%nat ->
    spent m (Nat.min k (2 * n)) = e * p + e * sum_to (Nat.min k (2 * n) - 1) (fun i => p ^ (i + 2))).
  { intros n Hn. unfold spent. replace (Nat.min k (2 * n)) with (S (Nat.min k (2 * n) - 1)) at 1 by lia.
    rewrite sum_to_first. simpl effort. simpl discount. unfold geometric at 1. simpl pow.
    rewrite (sum_to_ext _ (fun i => geometric p (S (S i))) (fun i => p ^ (i + 2))).
    - lra.
    - intros i _. replace (i + 2)%nat with (S (S i)) by lia. reflexivity. }
  split; intros [n [Hn H]]; exists n; (split; [exact Hn|]).
  - rewrite Efirst, behind_cut, Espent in H by exact Hn. lra.
  - rewrite Efirst, behind_cut, Espent by exact Hn. lra.
Qed.

(** *** Charitably with a cutoff: rankings of up to k documents *)

Theorem rbu_cut_pri k : Pri_charitable_within k (cut k (RBU p e)).
Proof. apply pri_within, rbu_pri. Qed.

Theorem rbu_cut_deep k : Deep_charitable_within k (cut k (RBU p e)).
Proof. apply deep_within, rbu_deep. Qed.

Theorem rbu_cut_conf k : Conf_charitable_within k (cut k (RBU p e)).
Proof. apply conf_within, rbu_conf. Qed.

Theorem rbu_cut_aspdiv k : AspDiv_charitable_within k (cut k (RBU p e)).
Proof. apply aspdiv_within, rbu_aspdiv. Qed.

Theorem rbu_cut_red k : Red_charitable_within k (cut k (RBU p e)).
Proof. apply red_within, rbu_red. Qed.

Theorem rbu_cut_mred k : MRed_charitable_within k (cut k (RBU p e)).
Proof. apply mred_within, rbu_mred. Qed.

Theorem rbu_cut_sat k : Sat_charitable_within k (cut k (RBU p e)).
Proof. apply sat_within, rbu_sat. Qed.

Theorem rbu_cut_asprel k : AspRel_charitable_within k (cut k (RBU p e)).
Proof. apply asprel_within, rbu_asprel. Qed.

(** DeepTh at a relevance r: the longest rankings that fit decide. *)
Theorem rbu_cut_deepth_iff k r :
  (2 <= k)%nat -> 0 < r < 1 ->
  (DeepTh_charitable_within_at k (cut k (RBU p e)) r <->
   sum_to (k / 2) (fun j => p ^ (k / 2 + j + 1) * (1 - r) ^ j) < p).
Proof.
  intros Hk Hr. rewrite deepth_within_at_iff by exact Hk.
  assert (Hn : (1 <= k / 2)%nat) by (apply Nat.div_le_lower_bound; lia).
  change (RBU p e) with (score m). rewrite padded_score by auto.
  rewrite (behind_score_product m phi_cascade) by (auto; unfold phi_cascade; lra).
  rewrite (sum_to_ext (k / 2) (fun j => p ^ (k / 2 + j + 1) * (1 - r) ^ j)
                      (fun j => discount m (S (k / 2 + j)) * phi_cascade r ^ j)).
  2:{ intros j _. cbn [discount m]. unfold geometric, phi_cascade. rewrite Nat.add_1_r. reflexivity. }
  change (discount m 1) with (p * 1). split; intros H.
  - apply Rmult_lt_reg_l with r; lra.
  - assert (r * sum_to (k / 2) (fun j => discount m (S (k / 2 + j)) * phi_cascade r ^ j) < r * p)
      by (apply Rmult_lt_compat_l; lra). lra.
Qed.

End RBU.

(** Without effort Conf fails: a non-relevant document costs nothing. *)
Theorem rbu_conf_fails_without_effort p : ~ Conf_charitable (RBU p 0).
Proof.
  apply (conf_fails_without_effort (Sum given (geometric p) cascade 0)); [reflexivity|reflexivity|exact zero_sum].
Qed.

(** The region of CloseTh as written is neither empty nor everything: at p = 99/100, e = 1/20, r = 1/2 it holds with
    n = 2, at p = 4/5 and r = 1/2 it fails whatever e > 0. *)
Theorem rbu_closeth_as_written_somewhere : CloseTh_at (RBU (99 / 100) (1 / 20)) (1 / 2).
Proof.
  apply (rbu_closeth_as_written_iff (99 / 100) (1 / 20)). exists 2%nat. split; [lia|]. simpl. lra.
Qed.

Theorem rbu_closeth_as_written_not_everywhere e : 0 < e -> ~ CloseTh_at (RBU (4 / 5) e) (1 / 2).
Proof.
  intros He H. apply (rbu_closeth_as_written_needs (4 / 5) e) in H; simpl in *; lra.
Qed.
