(** Expected Utility: every 0 < alpha < 1 and e > 0. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity.
Import ListNotations.
Open Scope R_scope.

Section EU.
Variables (alpha e : R).
Hypothesis He : 0 < e.
Hypothesis Ha : 0 < alpha < 1.

Let m := Sum given shifted_log (decay alpha) e.

Let one : weighs_one m. Proof. reflexivity. Qed.
Let counts_all : weighs_all m. Proof. exact (given_weighs_all _ _ _). Qed.
Let even : weighs_evenly m. Proof. exact (given_weighs_evenly _ _ _). Qed.
Let falling : decreasing (discount m). Proof. exact shifted_log_decreasing. Qed.
Let curved : convex (discount m). Proof. exact shifted_log_convex. Qed.
Let product_of_decay : multiplies m (phi_decay alpha). Proof. exact (decay_product alpha). Qed.
Let soft : gentle (phi_decay alpha). Proof. exact (decay_gentle alpha Ha). Qed.
Let novel : bounded (novelty m). Proof. exact (decay_bounded alpha Ha). Qed.
Let drop : drops (novelty m) alpha. Proof. exact (decay_drops alpha Ha). Qed.
Let paid : 0 <= effort m. Proof. simpl. lra. Qed.
Let fades : forall r, 0 < r < 1 -> phi_decay alpha r < 1.
Proof. intros r Hr. rewrite phi_decay_constant; lra. Qed.
Let zero_is_one : phi_decay alpha 0 = 1. Proof. exact (phi_zero _ soft). Qed.

Theorem eu_pri_as_written_fails : ~ Pri_as_written (EU alpha e).
Proof. apply (pri_as_written_fails m alpha); auto. Qed.

Theorem eu_pri : Pri_charitable (EU alpha e).
Proof. apply (pri_charitable_product m (phi_decay alpha)); auto. Qed.

Theorem eu_deep_as_written : Deep_as_written (EU alpha e).
Proof. apply (deep_product m (phi_decay alpha)); auto. Qed.

Theorem eu_deep : Deep_charitable (EU alpha e).
Proof. apply Deep_charitably, eu_deep_as_written. Qed.

Theorem eu_deepth_as_written : DeepTh_as_written (EU alpha e).
Proof. apply (deepth_as_written m); auto. Qed.

Theorem eu_deepth : DeepTh_charitable (EU alpha e).
Proof.
  apply (deepth_charitable_fading m (phi_decay alpha) (1 - alpha)); auto; try lra.
  - intros r Hr. rewrite phi_decay_constant; lra.
  - exact shifted_log_vanishes.
Qed.

(** CloseTh, with both rankings padded, iff some n has sum_{j < n} (1 - alpha)^j / log2(2 (n + j + 1)) > 1. *)
Theorem eu_closeth_iff :
  CloseTh_charitable (EU alpha e) <->
  exists n, (1 <= n)%nat /\ shifted_log 1 < sum_to n (fun j => shifted_log (S (n + j)) * (1 - alpha) ^ j).
Proof. apply (closeth_charitable_constant m (phi_decay alpha)); auto. apply phi_decay_constant. Qed.

(** As written the longer ranking also pays the effort of ranks 2 .. 2n. *)
Theorem eu_closeth_as_written_iff r :
  0 < r < 1 ->
  (CloseTh_at (EU alpha e) r <->
   exists n, (1 <= n)%nat /\
     e * sum_to (2 * n - 1) (fun i => shifted_log (S (S i)))
     < r * (sum_to n (fun j => shifted_log (S (n + j)) * (1 - alpha) ^ j) - shifted_log 1)).
Proof.
  intros Hr. unfold EU. fold m. rewrite (close_as_written_iff m (phi_decay alpha) r) by auto.
  rewrite phi_decay_constant by lra. reflexivity.
Qed.

Theorem eu_conf_as_written : Conf_as_written (EU alpha e).
Proof. apply (conf_with_effort m); auto. Qed.

Theorem eu_conf : Conf_charitable (EU alpha e).
Proof. apply Conf_charitably, eu_conf_as_written. Qed.

Theorem eu_aspdiv_as_written_fails : ~ AspDiv_as_written (EU alpha e).
Proof. apply (aspdiv_as_written_fails m alpha); auto. Qed.

Theorem eu_aspdiv : AspDiv_charitable (EU alpha e).
Proof.
  apply (aspdiv_charitable m); auto. intros l Hl. rewrite product_of_decay.
  apply product_range; [exact soft|exact (sum_below_each l Hl)].
Qed.

Theorem eu_red_as_written : Red_as_written (EU alpha e).
Proof. apply (red_as_written_decay m alpha); auto. Qed.

Theorem eu_red : Red_charitable (EU alpha e).
Proof. apply Red_charitably, eu_red_as_written. Qed.

Let same_count : novelty m [1 / 4] = novelty m [1 / 8].
Proof. rewrite !(drop_some _ _ drop) by lra. reflexivity. Qed.

Theorem eu_mred_as_written_fails : ~ MRed_as_written (EU alpha e).
Proof. apply (mred_as_written_fails m); auto. Qed.

Theorem eu_mred_fails : ~ MRed_charitable (EU alpha e).
Proof. apply (mred_charitable_fails m); auto. Qed.

(** Sat iff alpha + e >= 1: only then does the effort exceed the gain of another document. *)
Lemma eu_saturates : 1 <= alpha + e -> Sat_charitable (EU alpha e).
Proof.
  intros H. apply (saturates m); auto.
  intros T w t l r Hw Ht Hl Hr. rewrite product_of_decay, product_app. simpl.
  rewrite phi_decay_constant by lra.
  pose proof (weight_at_most_one T w t Hw Ht). pose proof (proj1 Hw t Ht).
  assert (Hphi : forall r, 0 <= r <= 1 -> 0 <= phi_decay alpha r <= 1)
    by (intros x _; unfold phi_decay; destruct (Rlt_dec 0 x); lra).
  pose proof (product_bounded (phi_decay alpha) l Hphi Hl) as HP. set (P := product (phi_decay alpha) l) in *.
  unfold given. assert (0 <= w t * r <= 1) by nra.
  assert (0 <= P * ((1 - alpha) * 1) <= 1 - alpha) by nra. nra.
Qed.

Theorem eu_sat_as_written_iff : Sat_as_written (EU alpha e) <-> 1 <= alpha + e.
Proof.
  split.
  - intros [r_max [Hr Hsat]]. destruct (Rle_lt_dec 1 (alpha + e)) as [Hle|Hlt]; [exact Hle|exfalso].
    apply (saturates_at_fails m r_max); auto. rewrite product_of_decay. simpl.
    unfold phi_decay. destruct (Rlt_dec 0 r_max); lra.
  - intros H. apply Sat_as_written_from_charitable, eu_saturates, H.
Qed.

Theorem eu_sat_iff : Sat_charitable (EU alpha e) <-> 1 <= alpha + e.
Proof.
  split; [|apply eu_saturates].
  intros H. apply eu_sat_as_written_iff, Sat_as_written_from_charitable, H.
Qed.

Theorem eu_asprel : AspRel_charitable (EU alpha e).
Proof. apply asprel_charitable; [exact falling|exact (decay_ignores_zeros alpha Ha)]. Qed.

Theorem eu_asprel_as_written_fails : ~ AspRel_as_written (EU alpha e).
Proof.
  apply (asprel_as_written_fails _ _ _ alpha); auto; [exact (drop_zero _ _ drop)|lra|].
  exact (drop_some _ _ drop (1 / 2) ltac:(lra)).
Qed.

End EU.
