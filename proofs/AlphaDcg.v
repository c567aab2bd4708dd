(** alpha-DCG: every 0 < alpha < 1. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity.
Import ListNotations.
Open Scope R_scope.

Section Alpha_DCG.
Variable alpha : R.
Hypothesis Ha : 0 < alpha < 1.

Let m := Sum uniform logarithmic (decay alpha) 0.

Let one : weighs_one m. Proof. reflexivity. Qed.
Let counts_all : weighs_all m. Proof. exact (uniform_weighs_all _ _ _). Qed.
Let even : weighs_evenly m. Proof. exact (uniform_weighs_evenly _ _ _). Qed.
Let falling : decreasing (discount m). Proof. exact logarithmic_decreasing. Qed.
Let curved : convex (discount m). Proof. exact logarithmic_convex. Qed.
Let product_of_decay : multiplies m (phi_decay alpha). Proof. exact (decay_product alpha). Qed.
Let soft : gentle (phi_decay alpha). Proof. exact (decay_gentle alpha Ha). Qed.
Let novel : bounded (novelty m). Proof. exact (decay_bounded alpha Ha). Qed.
Let drop : drops (novelty m) alpha. Proof. exact (decay_drops alpha Ha). Qed.
Let free : 0 <= effort m. Proof. simpl. lra. Qed.
Let fades : forall r, 0 < r < 1 -> phi_decay alpha r < 1.
Proof. intros r Hr. rewrite phi_decay_constant; lra. Qed.
Let zero_is_one : phi_decay alpha 0 = 1. Proof. exact (phi_zero _ soft). Qed.

Theorem alpha_dcg_pri_as_written_fails : ~ Pri_as_written (alpha_DCG alpha).
Proof. apply (pri_as_written_fails m alpha); auto. Qed.

Theorem alpha_dcg_pri : Pri_charitable (alpha_DCG alpha).
Proof. apply (pri_charitable_product m (phi_decay alpha)); auto. Qed.

Theorem alpha_dcg_deep_as_written : Deep_as_written (alpha_DCG alpha).
Proof. apply (deep_product m (phi_decay alpha)); auto. Qed.

Theorem alpha_dcg_deep : Deep_charitable (alpha_DCG alpha).
Proof. apply Deep_charitably, alpha_dcg_deep_as_written. Qed.

Theorem alpha_dcg_deepth_as_written : DeepTh_as_written (alpha_DCG alpha).
Proof. apply (deepth_as_written m); auto. Qed.

Theorem alpha_dcg_deepth : DeepTh_charitable (alpha_DCG alpha).
Proof.
  apply (deepth_charitable_fading m (phi_decay alpha) (1 - alpha)); auto; try lra.
  - intros r Hr. rewrite phi_decay_constant; lra.
  - exact logarithmic_vanishes.
Qed.

(** CloseTh iff some n has sum_{j < n} (1 - alpha)^j / log2(n + j + 2) > 1. *)
Theorem alpha_dcg_closeth_iff :
  CloseTh_charitable (alpha_DCG alpha) <->
  exists n, (1 <= n)%nat /\ logarithmic 1 < sum_to n (fun j => logarithmic (S (n + j)) * (1 - alpha) ^ j).
Proof. apply (closeth_charitable_constant m (phi_decay alpha)); auto. apply phi_decay_constant. Qed.

Theorem alpha_dcg_closeth_as_written_iff r :
  0 < r < 1 ->
  (CloseTh_at (alpha_DCG alpha) r <->
   exists n, (1 <= n)%nat /\ logarithmic 1 < sum_to n (fun j => logarithmic (S (n + j)) * (1 - alpha) ^ j)).
Proof.
  intros Hr. unfold alpha_DCG. fold m. rewrite (close_without_effort m r) by auto.
  apply (closeth_padded_constant m (phi_decay alpha) (1 - alpha)); auto; [apply phi_decay_constant|lra].
Qed.

Theorem alpha_dcg_conf_as_written_fails : ~ Conf_as_written (alpha_DCG alpha).
Proof. apply (conf_fails_without_effort m); auto using zero_each. Qed.

Theorem alpha_dcg_conf_fails : ~ Conf_charitable (alpha_DCG alpha).
Proof. apply (conf_fails_without_effort m); auto using zero_sum. Qed.

Theorem alpha_dcg_aspdiv_as_written_fails : ~ AspDiv_as_written (alpha_DCG alpha).
Proof. apply (aspdiv_as_written_fails m alpha); auto. Qed.

Theorem alpha_dcg_aspdiv : AspDiv_charitable (alpha_DCG alpha).
Proof.
  apply (aspdiv_charitable m); auto. intros l Hl. rewrite product_of_decay.
  apply product_range; [exact soft|exact (sum_below_each l Hl)].
Qed.

Theorem alpha_dcg_red_as_written : Red_as_written (alpha_DCG alpha).
Proof. apply (red_as_written_decay m alpha); auto. Qed.

Theorem alpha_dcg_red : Red_charitable (alpha_DCG alpha).
Proof. apply Red_charitably, alpha_dcg_red_as_written. Qed.

Let same_count : novelty m [1 / 4] = novelty m [1 / 8].
Proof. rewrite !(drop_some _ _ drop) by lra. reflexivity. Qed.

Theorem alpha_dcg_mred_as_written_fails : ~ MRed_as_written (alpha_DCG alpha).
Proof. apply (mred_as_written_fails m); auto. Qed.

Theorem alpha_dcg_mred_fails : ~ MRed_charitable (alpha_DCG alpha).
Proof. apply (mred_charitable_fails m); auto. Qed.

Let never_full : forall r, 0 <= r <= 1 -> effort m < novelty m [r].
Proof.
  intros r Hr. rewrite product_of_decay. simpl. unfold phi_decay. destruct (Rlt_dec 0 r); lra.
Qed.

Theorem alpha_dcg_sat_as_written_fails : ~ Sat_as_written (alpha_DCG alpha).
Proof. apply (sat_as_written_fails m); auto. Qed.

Theorem alpha_dcg_sat_fails : ~ Sat_charitable (alpha_DCG alpha).
Proof. apply (saturates_at_fails m); auto. apply never_full. lra. Qed.

Theorem alpha_dcg_asprel_as_written_fails : ~ AspRel_as_written (alpha_DCG alpha).
Proof. apply asprel_fails_uniform. Qed.

Theorem alpha_dcg_asprel_fails : ~ AspRel_charitable (alpha_DCG alpha).
Proof. apply asprel_fails_uniform. Qed.

End Alpha_DCG.
