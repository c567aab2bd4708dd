(** NRBP: every 0 < p < 1 and 0 < alpha < 1. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity.
Import ListNotations.
Open Scope R_scope.

Section NRBP.
Variables (p alpha : R).
Hypothesis Hp : 0 < p < 1.
Hypothesis Ha : 0 < alpha < 1.

Let m := Sum uniform (geometric0 p) (decay alpha) 0.

Let one : weighs_one m. Proof. reflexivity. Qed.
Let counts_all : weighs_all m. Proof. exact (uniform_weighs_all _ _ _). Qed.
Let even : weighs_evenly m. Proof. exact (uniform_weighs_evenly _ _ _). Qed.
Let falling : decreasing (discount m). Proof. exact (geometric0_decreasing p Hp). Qed.
Let curved : convex (discount m). Proof. exact (strictly_convex_convex _ (geometric0_convex p Hp)). Qed.
Let powers_of_p : forall i, discount m (S i) = 1 * p ^ i.
Proof. intros i. simpl. unfold geometric0. simpl. rewrite Nat.sub_0_r. lra. Qed.
Let product_of_decay : multiplies m (phi_decay alpha). Proof. exact (decay_product alpha). Qed.
Let soft : gentle (phi_decay alpha). Proof. exact (decay_gentle alpha Ha). Qed.
Let novel : bounded (novelty m). Proof. exact (decay_bounded alpha Ha). Qed.
Let drop : drops (novelty m) alpha. Proof. exact (decay_drops alpha Ha). Qed.
Let free : 0 <= effort m. Proof. simpl. lra. Qed.
Let fades : forall r, 0 < r < 1 -> phi_decay alpha r < 1.
Proof. intros r Hr. rewrite phi_decay_constant; lra. Qed.
Let zero_is_one : phi_decay alpha 0 = 1. Proof. exact (phi_zero _ soft). Qed.

Theorem nrbp_pri_as_written_fails : ~ Pri_as_written (NRBP p alpha).
Proof. apply (pri_as_written_fails m alpha); auto. Qed.

Theorem nrbp_pri : Pri_charitable (NRBP p alpha).
Proof. apply (pri_charitable_product m (phi_decay alpha)); auto. Qed.

Theorem nrbp_deep_as_written : Deep_as_written (NRBP p alpha).
Proof. apply (deep_product m (phi_decay alpha)); auto. Qed.

Theorem nrbp_deep : Deep_charitable (NRBP p alpha).
Proof. apply Deep_charitably, nrbp_deep_as_written. Qed.

Theorem nrbp_deepth_as_written : DeepTh_as_written (NRBP p alpha).
Proof. apply (deepth_as_written m); auto. Qed.

Theorem nrbp_deepth : DeepTh_charitable (NRBP p alpha).
Proof. apply (deepth_charitable m); auto. apply (geometric_tail _ 1 p); auto; lra. Qed.

(** CloseTh iff p^2 + p^3 (1 - alpha) > 1, whatever the relevance. *)
Theorem nrbp_closeth_iff : CloseTh_charitable (NRBP p alpha) <-> 1 < p ^ 2 + p ^ 3 * (1 - alpha).
Proof.
  apply (closeth_charitable_geometric m (phi_decay alpha) (1 - alpha) 1 p); auto; try lra.
  apply phi_decay_constant.
Qed.

Theorem nrbp_closeth_as_written_iff r :
  0 < r < 1 -> (CloseTh_at (NRBP p alpha) r <-> 1 < p ^ 2 + p ^ 3 * (1 - alpha)).
Proof.
  intros Hr. unfold NRBP. fold m. rewrite (close_without_effort m r) by auto.
  rewrite (close_geometric m 1 p (phi_decay alpha) r);
    auto; try lra; rewrite phi_decay_constant by lra; [reflexivity|lra].
Qed.

Theorem nrbp_conf_as_written_fails : ~ Conf_as_written (NRBP p alpha).
Proof. apply (conf_fails_without_effort m); auto using zero_each. Qed.

Theorem nrbp_conf_fails : ~ Conf_charitable (NRBP p alpha).
Proof. apply (conf_fails_without_effort m); auto using zero_sum. Qed.

Theorem nrbp_aspdiv_as_written_fails : ~ AspDiv_as_written (NRBP p alpha).
Proof. apply (aspdiv_as_written_fails m alpha); auto. Qed.

Theorem nrbp_aspdiv : AspDiv_charitable (NRBP p alpha).
Proof.
  apply (aspdiv_charitable m); auto. intros l Hl. rewrite product_of_decay.
  apply product_range; [exact soft|exact (sum_below_each l Hl)].
Qed.

Theorem nrbp_red_as_written : Red_as_written (NRBP p alpha).
Proof. apply (red_as_written_decay m alpha); auto. Qed.

Theorem nrbp_red : Red_charitable (NRBP p alpha).
Proof. apply Red_charitably, nrbp_red_as_written. Qed.

Let same_count : novelty m [1 / 4] = novelty m [1 / 8].
Proof. rewrite !(drop_some _ _ drop) by lra. reflexivity. Qed.

Theorem nrbp_mred_as_written_fails : ~ MRed_as_written (NRBP p alpha).
Proof. apply (mred_as_written_fails m); auto. Qed.

Theorem nrbp_mred_fails : ~ MRed_charitable (NRBP p alpha).
Proof. apply (mred_charitable_fails m); auto. Qed.

Let never_full : forall r, 0 <= r <= 1 -> effort m < novelty m [r].
Proof.
  intros r Hr. rewrite product_of_decay. simpl. unfold phi_decay. destruct (Rlt_dec 0 r); lra.
Qed.

Theorem nrbp_sat_as_written_fails : ~ Sat_as_written (NRBP p alpha).
Proof. apply (sat_as_written_fails m); auto. Qed.

Theorem nrbp_sat_fails : ~ Sat_charitable (NRBP p alpha).
Proof. apply (saturates_at_fails m); auto. apply never_full. lra. Qed.

Theorem nrbp_asprel_as_written_fails : ~ AspRel_as_written (NRBP p alpha).
Proof. apply asprel_fails_uniform. Qed.

Theorem nrbp_asprel_fails : ~ AspRel_charitable (NRBP p alpha).
Proof. apply asprel_fails_uniform. Qed.

End NRBP.
