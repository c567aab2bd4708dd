(** ERR-IA and ERR, which uses the overall relevance, with and without a cutoff k. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity Cutoffs Overall Within.
Import ListNotations.
Open Scope R_scope.

Definition err_ia_sum : sum := Sum given reciprocal cascade 0.

Section ERR_IA.
Let m := err_ia_sum.

Let one : weighs_one m. Proof. reflexivity. Qed.
Let counts_all : weighs_all m. Proof. exact (given_weighs_all _ _ _). Qed.
Let even : weighs_evenly m. Proof. exact (given_weighs_evenly _ _ _). Qed.
Let falling : decreasing (discount m). Proof. exact reciprocal_decreasing. Qed.
Let curved : convex (discount m). Proof. exact reciprocal_convex. Qed.
Let product_of_cascade : multiplies m phi_cascade. Proof. exact cascade_product. Qed.
Let novel : bounded (novelty m). Proof. exact cascade_bounded. Qed.
Let free : 0 <= effort m. Proof. simpl. lra. Qed.
Let used_up : forall l, In 1 l -> (forall r, In r l -> 0 <= r) -> novelty m l = 0.
Proof. intros l Hl _. exact (cascade_exhausted l Hl). Qed.

Theorem err_ia_pri_as_written : Pri_as_written ERR_IA.
Proof. apply (pri_as_written_cascade m); auto. Qed.

Theorem err_ia_pri : Pri_charitable ERR_IA.
Proof. apply Pri_charitably, err_ia_pri_as_written. Qed.

Theorem err_ia_deep_as_written : Deep_as_written ERR_IA.
Proof.
  apply (deep_product m phi_cascade); auto using cascade_gentle.
  right. intros r Hr. unfold phi_cascade. lra.
Qed.

Theorem err_ia_deep : Deep_charitable ERR_IA.
Proof. apply Deep_charitably, err_ia_deep_as_written. Qed.

Theorem err_ia_deepth_as_written : DeepTh_as_written ERR_IA.
Proof. apply (deepth_as_written m); auto. Qed.

(** 1/(n+1) + ... + 1/(2n) < 1 for every n. *)
Theorem err_ia_deepth : DeepTh_charitable ERR_IA.
Proof. apply (deepth_charitable m); auto. exists O. intros n Hn _. exact (reciprocal_tail n Hn). Qed.

(** For the same reason no m suffices, whatever the relevance. *)
Theorem err_ia_closeth_never r : 0 < r < 1 -> ~ CloseTh_at ERR_IA r /\ ~ CloseTh_padded_at ERR_IA r.
Proof. intros Hr. apply (never_close m); auto. exact reciprocal_tail. Qed.

Theorem err_ia_closeth_as_written_fails : ~ CloseTh_as_written ERR_IA.
Proof. apply never_never_as_written. intros r Hr. apply err_ia_closeth_never. exact Hr. Qed.

Theorem err_ia_closeth_fails : ~ CloseTh_charitable ERR_IA.
Proof. apply never_padded_never_charitable. intros r Hr. apply err_ia_closeth_never. exact Hr. Qed.

Theorem err_ia_conf_as_written_fails : ~ Conf_as_written ERR_IA.
Proof. apply (conf_fails_without_effort m); auto using zero_each. Qed.

Theorem err_ia_conf_fails : ~ Conf_charitable ERR_IA.
Proof. apply (conf_fails_without_effort m); auto using zero_sum. Qed.

Theorem err_ia_aspdiv_as_written : AspDiv_as_written ERR_IA.
Proof. apply (aspdiv_as_written_cascade m); auto. Qed.

Theorem err_ia_aspdiv : AspDiv_charitable ERR_IA.
Proof. apply AspDiv_charitably, err_ia_aspdiv_as_written. Qed.

Theorem err_ia_red : Red_charitable ERR_IA.
Proof. apply (red_charitable_cascade m); auto. Qed.

Theorem err_ia_red_as_written_fails : ~ Red_as_written ERR_IA.
Proof. apply (red_as_written_fails m); auto. Qed.

Theorem err_ia_mred_as_written : MRed_as_written ERR_IA.
Proof. apply (mred_as_written_cascade m); auto. Qed.

Theorem err_ia_mred : MRed_charitable ERR_IA.
Proof. apply MRed_charitably, err_ia_mred_as_written. Qed.

Theorem err_ia_sat : Sat_charitable ERR_IA.
Proof. apply (sat_charitable m); auto. Qed.

Theorem err_ia_sat_as_written : Sat_as_written ERR_IA.
Proof. apply Sat_as_written_from_charitable, err_ia_sat. Qed.

Theorem err_ia_asprel : AspRel_charitable ERR_IA.
Proof. apply asprel_charitable; [exact falling|exact cascade_ignores_zeros]. Qed.

Theorem err_ia_asprel_as_written_fails : ~ AspRel_as_written ERR_IA.
Proof. apply (asprel_as_written_fails _ _ _ (1 / 2)); auto; simpl; lra. Qed.

(** *** As written with a cutoff *)

Theorem err_ia_cut_deepth_as_written k : (1 <= k)%nat -> DeepTh_as_written (cut k ERR_IA).
Proof. intros Hk. apply (deepth_cut m); auto. Qed.

Theorem err_ia_cut_closeth_as_written_fails k : (1 <= k)%nat -> ~ CloseTh_as_written (cut k ERR_IA).
Proof.
  intros Hk. apply never_never_as_written. intros r Hr. apply (never_close_cut m k); auto. exact reciprocal_tail.
Qed.

Theorem err_ia_cut_sat_as_written k : Sat_as_written (cut k ERR_IA).
Proof. apply sat_cut, err_ia_sat. Qed.

(** ** ERR: on a single aspect it is ERR-IA *)

Theorem err_pri_as_written : Pri_as_written ERR.
Proof. apply pri_overall, err_ia_pri_as_written. Qed.

Theorem err_pri : Pri_charitable ERR.
Proof. apply Pri_charitably, err_pri_as_written. Qed.

Theorem err_deep_as_written : Deep_as_written ERR.
Proof. apply deep_overall, err_ia_deep_as_written. Qed.

Theorem err_deep : Deep_charitable ERR.
Proof. apply Deep_charitably, err_deep_as_written. Qed.

Theorem err_deepth_as_written : DeepTh_as_written ERR.
Proof. apply deepth_as_written_overall, err_ia_deepth_as_written. Qed.

Theorem err_deepth : DeepTh_charitable ERR.
Proof. apply deepth_charitable_overall, err_ia_deepth. Qed.

Theorem err_closeth_as_written_fails : ~ CloseTh_as_written ERR.
Proof.
  apply never_never_as_written. intros r Hr H. apply (proj1 (closeth_at_overall ERR_IA r ltac:(lra))) in H.
  exact (proj1 (err_ia_closeth_never r Hr) H).
Qed.

Theorem err_closeth_fails : ~ CloseTh_charitable ERR.
Proof. intros H. apply err_ia_closeth_fails. exact (proj1 (closeth_charitable_overall ERR_IA) H). Qed.

Theorem err_conf_as_written_fails : ~ Conf_as_written ERR.
Proof. apply conf_as_written_overall_fails, err_ia_conf_as_written_fails. Qed.

Theorem err_conf_fails : ~ Conf_charitable ERR.
Proof. apply conf_charitable_overall_fails, err_ia_conf_fails. Qed.

Theorem err_aspdiv_as_written : AspDiv_as_written ERR.
Proof. apply aspdiv_overall, err_ia_aspdiv_as_written. Qed.

Theorem err_red_as_written_fails : ~ Red_as_written ERR.
Proof. apply red_overall_fails. Qed.

Theorem err_mred_as_written_fails : ~ MRed_as_written ERR.
Proof. apply mred_overall_fails. Qed.

(** A fully relevant document uses up the cascade, whatever the aspects. *)
Lemma err_saturates : saturates_at ERR 1.
Proof.
  intros T w d t r Hw Ht Hd Hr. unfold ERR, without_aspects, ERR_IA. fold err_ia_sum. fold m.
  rewrite !map_app. cbn [map]. set (A := map (fun x _ => overall T x) d ++ [fun _ => overall T (about t 1)]).
  rewrite (score_append m 1 (fun _ => 1) A).
  assert (Hone : In 1 (column 0%nat A)).
  { unfold A. rewrite column_app. apply in_or_app. right. left. clear - Ht. revert t Ht.
    induction T as [|T IH]; intros t Ht; [lia|]. simpl.
    assert (Hle : forall T', overall T' (about t 1) <= 1).
    { induction T' as [|T' IH']; simpl; [lra|]. apply Rmax_lub; [exact IH'|]. unfold about. destruct (Nat.eqb T' t); lra. }
    destruct (Nat.eq_dec t T) as [->|Hne].
    - unfold about at 2. rewrite Nat.eqb_refl. apply Rmax_right. apply Hle.
    - rewrite IH by lia. apply Rmax_left. unfold about. destruct (Nat.eqb T t); lra. }
  cbn [sum_to]. change (novelty m) with cascade. change (effort m) with 0.
  rewrite (cascade_exhausted _ Hone). lra.
Qed.

Theorem err_sat_as_written : Sat_as_written ERR.
Proof. apply Sat_as_written_from_charitable. exact err_saturates. Qed.

Theorem err_asprel_as_written_fails : ~ AspRel_as_written ERR.
Proof. apply asprel_overall_fails. Qed.

Lemma single_cut_overall k l : (forall r, In r l -> 0 <= r) -> single (cut k ERR) l = single (cut k ERR_IA) l.
Proof.
  intros H. rewrite !single_cut. unfold ERR. apply single_overall.
  intros r Hr. apply H. rewrite <- (firstn_skipn k l). apply in_or_app. left. exact Hr.
Qed.

Theorem err_cut_deepth_as_written k : (1 <= k)%nat -> DeepTh_as_written (cut k ERR).
Proof.
  intros Hk r Hr. destruct (err_ia_cut_deepth_as_written k Hk r Hr) as [n [Hn H]]. exists n. split; [exact Hn|].
  rewrite !single_cut_overall by (apply one_first_nonneg || apply behind_nonneg; lra). exact H.
Qed.

Theorem err_cut_closeth_as_written_fails k : (1 <= k)%nat -> ~ CloseTh_as_written (cut k ERR).
Proof.
  intros Hk. apply never_never_as_written. intros r Hr [n [Hn H]].
  rewrite !single_cut_overall in H by (apply one_first_nonneg || apply behind_nonneg; lra).
  apply (never_close_cut m k Hk one novel falling eq_refl reciprocal_tail r Hr). exists n. split; [exact Hn|exact H].
Qed.

Theorem err_cut_sat_as_written k : Sat_as_written (cut k ERR).
Proof. apply sat_cut. exact err_saturates. Qed.
(** *** Charitably with a cutoff: rankings of up to k documents *)

Theorem err_ia_cut_pri k : Pri_charitable_within k (cut k ERR_IA).
Proof. apply pri_within, err_ia_pri. Qed.

Theorem err_ia_cut_deep k : Deep_charitable_within k (cut k ERR_IA).
Proof. apply deep_within, err_ia_deep. Qed.

Theorem err_ia_cut_aspdiv k : AspDiv_charitable_within k (cut k ERR_IA).
Proof. apply aspdiv_within, err_ia_aspdiv. Qed.

Theorem err_ia_cut_red k : Red_charitable_within k (cut k ERR_IA).
Proof. apply red_within, err_ia_red. Qed.

Theorem err_ia_cut_mred k : MRed_charitable_within k (cut k ERR_IA).
Proof. apply mred_within, err_ia_mred. Qed.

Theorem err_ia_cut_sat k : Sat_charitable_within k (cut k ERR_IA).
Proof. apply sat_within, err_ia_sat. Qed.

Theorem err_ia_cut_asprel k : AspRel_charitable_within k (cut k ERR_IA).
Proof. apply asprel_within, err_ia_asprel. Qed.

Theorem err_ia_cut_deepth k : (2 <= k)%nat -> DeepTh_charitable_within k (cut k ERR_IA).
Proof. intros Hk. apply (deepth_within m); auto. exact reciprocal_tail. Qed.

Theorem err_ia_cut_closeth_fails k : ~ CloseTh_charitable_within k (cut k ERR_IA).
Proof. apply closeth_within_fails, err_ia_closeth_fails. Qed.

Theorem err_ia_cut_conf_fails k : (2 <= k)%nat -> ~ Conf_charitable_within k (cut k ERR_IA).
Proof. intros Hk. apply (conf_within_fails k m); auto. Qed.

Theorem err_cut_pri k : Pri_charitable_within k (cut k ERR).
Proof. apply pri_within, err_pri. Qed.

Theorem err_cut_deep k : Deep_charitable_within k (cut k ERR).
Proof. apply deep_within, err_deep. Qed.

Theorem err_cut_deepth k : (2 <= k)%nat -> DeepTh_charitable_within k (cut k ERR).
Proof.
  intros Hk r Hr. destruct (err_ia_cut_deepth k Hk r Hr) as [N [HN [Hfit H]]].
  exists N. split; [exact HN|]. split; [exact Hfit|]. intros n Hn Hn'.
  rewrite !single_cut_overall by (apply padded_nonneg || apply behind_nonneg; lra). apply H; assumption.
Qed.

Theorem err_cut_closeth_fails k : ~ CloseTh_charitable_within k (cut k ERR).
Proof. apply closeth_within_fails, err_closeth_fails. Qed.

Theorem err_cut_conf_fails k : (2 <= k)%nat -> ~ Conf_charitable_within k (cut k ERR).
Proof. intros Hk. apply (conf_within_overall_fails k m); auto. Qed.

End ERR_IA.
