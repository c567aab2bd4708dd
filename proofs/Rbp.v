(** RBP-IA, and RBP, which uses the overall relevance: every 0 < p < 1. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity Overall.
Import ListNotations.
Open Scope R_scope.

Section RBP.
Variable p : R.
Hypothesis Hp : 0 < p < 1.

Let m := Sum given (patient p) always 0.

Let one : weighs_one m. Proof. reflexivity. Qed.
Let counts_all : weighs_all m. Proof. exact (given_weighs_all _ _ _). Qed.
Let even : weighs_evenly m. Proof. exact (given_weighs_evenly _ _ _). Qed.
Let falling : decreasing (discount m). Proof. exact (patient_decreasing p Hp). Qed.
Let curved : strictly_convex (discount m). Proof. exact (patient_convex p Hp). Qed.
Let powers_of_p : forall i, discount m (S i) = (1 - p) * p ^ i.
Proof. intros i. simpl. unfold patient. simpl. rewrite Nat.sub_0_r. reflexivity. Qed.
Let product_of_ones : multiplies m phi_always. Proof. exact always_product. Qed.
Let novel : bounded (novelty m). Proof. exact always_bounded. Qed.
Let free : 0 <= effort m. Proof. simpl. lra. Qed.

(** ** RBP-IA *)

Theorem rbp_ia_pri_as_written : Pri_as_written (RBP_IA p).
Proof. apply (pri_as_written_always m); auto. Qed.

Theorem rbp_ia_pri : Pri_charitable (RBP_IA p).
Proof. apply Pri_charitably, rbp_ia_pri_as_written. Qed.

Theorem rbp_ia_deep_as_written : Deep_as_written (RBP_IA p).
Proof. apply (deep_product m phi_always); auto using always_gentle, strictly_convex_convex. Qed.

Theorem rbp_ia_deep : Deep_charitable (RBP_IA p).
Proof. apply Deep_charitably, rbp_ia_deep_as_written. Qed.

Theorem rbp_ia_deepth_as_written : DeepTh_as_written (RBP_IA p).
Proof. apply (deepth_as_written m); auto. Qed.

Theorem rbp_ia_deepth : DeepTh_charitable (RBP_IA p).
Proof. apply (deepth_charitable m); auto. apply (geometric_tail _ (1 - p) p); auto; lra. Qed.

(** CloseTh iff p^2 + p^3 > 1, whatever the relevance. *)
Theorem rbp_ia_closeth_iff : CloseTh_charitable (RBP_IA p) <-> 1 < p ^ 2 + p ^ 3.
Proof.
  unfold RBP_IA. fold m.
  rewrite <- (Rmult_1_r (p ^ 3)).
  apply (closeth_charitable_geometric m phi_always 1 (1 - p) p); auto; lra.
Qed.

Theorem rbp_ia_closeth_as_written_iff r : 0 < r < 1 -> (CloseTh_at (RBP_IA p) r <-> 1 < p ^ 2 + p ^ 3).
Proof.
  intros Hr. unfold RBP_IA. fold m. rewrite (close_without_effort m r) by auto.
  rewrite <- (Rmult_1_r (p ^ 3)).
  apply (close_geometric m (1 - p) p phi_always r); auto; unfold phi_always; lra.
Qed.

Theorem rbp_ia_conf_as_written_fails : ~ Conf_as_written (RBP_IA p).
Proof. apply (conf_fails_without_effort m); auto using zero_each. Qed.

Theorem rbp_ia_conf_fails : ~ Conf_charitable (RBP_IA p).
Proof. apply (conf_fails_without_effort m); auto using zero_sum. Qed.

Theorem rbp_ia_aspdiv_as_written : AspDiv_as_written (RBP_IA p).
Proof. apply (aspdiv_as_written_always m); auto. Qed.

Theorem rbp_ia_aspdiv : AspDiv_charitable (RBP_IA p).
Proof. apply AspDiv_charitably, rbp_ia_aspdiv_as_written. Qed.

Theorem rbp_ia_red_as_written_fails : ~ Red_as_written (RBP_IA p).
Proof. apply (red_fails_always m); auto using quarter_at_most_one. Qed.

Theorem rbp_ia_red_fails : ~ Red_charitable (RBP_IA p).
Proof. apply (red_fails_always m); auto using quarter_unsaturated. Qed.

Theorem rbp_ia_mred_as_written_fails : ~ MRed_as_written (RBP_IA p).
Proof. apply (mred_as_written_fails m); auto. Qed.

Theorem rbp_ia_mred_fails : ~ MRed_charitable (RBP_IA p).
Proof. apply (mred_charitable_fails m); auto. Qed.

Theorem rbp_ia_sat_as_written_fails : ~ Sat_as_written (RBP_IA p).
Proof. apply (sat_as_written_fails m); auto. intros r _. simpl. unfold always. lra. Qed.

Theorem rbp_ia_sat_fails : ~ Sat_charitable (RBP_IA p).
Proof. apply (saturates_at_fails m); auto. simpl. unfold always. lra. Qed.

Theorem rbp_ia_asprel_as_written : AspRel_as_written (RBP_IA p).
Proof. apply asprel_as_written_always. exact falling. Qed.

Theorem rbp_ia_asprel : AspRel_charitable (RBP_IA p).
Proof. apply AspRel_charitably, rbp_ia_asprel_as_written. Qed.

(** ** RBP: on a single aspect it is RBP-IA *)

Theorem rbp_pri_as_written : Pri_as_written (RBP p).
Proof. apply pri_overall, rbp_ia_pri_as_written. Qed.

Theorem rbp_pri : Pri_charitable (RBP p).
Proof. apply Pri_charitably, rbp_pri_as_written. Qed.

Theorem rbp_deep_as_written : Deep_as_written (RBP p).
Proof. apply deep_overall, rbp_ia_deep_as_written. Qed.

Theorem rbp_deep : Deep_charitable (RBP p).
Proof. apply Deep_charitably, rbp_deep_as_written. Qed.

Theorem rbp_deepth_as_written : DeepTh_as_written (RBP p).
Proof. apply deepth_as_written_overall, rbp_ia_deepth_as_written. Qed.

Theorem rbp_deepth : DeepTh_charitable (RBP p).
Proof. apply deepth_charitable_overall, rbp_ia_deepth. Qed.

Theorem rbp_closeth_iff : CloseTh_charitable (RBP p) <-> 1 < p ^ 2 + p ^ 3.
Proof. rewrite <- rbp_ia_closeth_iff. apply closeth_charitable_overall. Qed.

Theorem rbp_closeth_as_written_iff r : 0 < r < 1 -> (CloseTh_at (RBP p) r <-> 1 < p ^ 2 + p ^ 3).
Proof. intros Hr. rewrite <- (rbp_ia_closeth_as_written_iff r Hr). apply closeth_at_overall. lra. Qed.

Theorem rbp_conf_as_written_fails : ~ Conf_as_written (RBP p).
Proof. apply conf_as_written_overall_fails, rbp_ia_conf_as_written_fails. Qed.

Theorem rbp_conf_fails : ~ Conf_charitable (RBP p).
Proof. apply conf_charitable_overall_fails, rbp_ia_conf_fails. Qed.

(** ** RBP on the diversity constraints as written: it uses max_t r *)

Theorem rbp_aspdiv_as_written : AspDiv_as_written (RBP p).
Proof. apply aspdiv_overall, rbp_ia_aspdiv_as_written. Qed.

Theorem rbp_red_as_written_fails : ~ Red_as_written (RBP p).
Proof. apply red_overall_fails. Qed.

Theorem rbp_mred_as_written_fails : ~ MRed_as_written (RBP p).
Proof. apply mred_overall_fails. Qed.

Theorem rbp_sat_as_written_fails : ~ Sat_as_written (RBP p).
Proof.
  intros [r_max [Hr H]]. specialize (H 1%nat (fun _ => 1) [] 0%nat 1 proper_one ltac:(lia)).
  assert (Hno : no_overlap 1 any_aspect []) by (intros x []). specialize (H Hno ltac:(lra)).
  destruct (sat_overall_single (RBP_IA p) r_max 1 ltac:(lra) ltac:(lra)) as [E2 E1].
  unfold RBP in H. simpl app in H. rewrite E1, E2 in H.
  change (single (score m) [r_max] >= single (score m) ([r_max] ++ [1])) in H.
  rewrite (single_append m [r_max] 1 one) in H. simpl in H.
  unfold always in H. pose proof (positive _ falling 1). simpl in *. lra.
Qed.

Theorem rbp_asprel_as_written_fails : ~ AspRel_as_written (RBP p).
Proof. apply asprel_overall_fails. Qed.

End RBP.
