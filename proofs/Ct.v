(** The Cube Test with its limit of 1, with and without a cutoff k: every 0 < alpha < 1. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity Cutoffs Within.
Import ListNotations.
Open Scope R_scope.

Section CT.
Variable alpha : R.
Hypothesis Ha : 0 < alpha < 1.

Let m := Sum given reciprocal (cube alpha 1) 0.
(** The same without a limit; as long as no aspect is full they agree. *)
Let open := Sum given reciprocal (decay alpha) 0.

Let one : weighs_one m. Proof. reflexivity. Qed.
Let open_one : weighs_one open. Proof. reflexivity. Qed.
Let counts_all : weighs_all m. Proof. exact (given_weighs_all _ _ _). Qed.
Let even : weighs_evenly m. Proof. exact (given_weighs_evenly _ _ _). Qed.
Let falling : decreasing (discount m). Proof. exact reciprocal_decreasing. Qed.
Let curved : convex (discount m). Proof. exact reciprocal_convex. Qed.
Let product_of_decay : multiplies open (phi_decay alpha). Proof. exact (decay_product alpha). Qed.
Let soft : gentle (phi_decay alpha). Proof. exact (decay_gentle alpha Ha). Qed.
Let novel : bounded (novelty m). Proof. exact (cube_bounded alpha Ha). Qed.
Let drop : drops (novelty m) alpha. Proof. exact (cube_drops alpha Ha). Qed.
Let free : 0 <= effort m. Proof. simpl. lra. Qed.
Let used_up : forall l, In 1 l -> (forall r, In r l -> 0 <= r) -> novelty m l = 0.
Proof. exact (cube_exhausted alpha). Qed.

Lemma ct_open l : sum_below_one l -> single (CT alpha 1) l = single (score open) l.
Proof.
  intros [Hn Hs]. unfold CT. fold m. rewrite !single_score by reflexivity. f_equal.
  apply value_cube; [exact Hn|exact Hs].
Qed.

Lemma sum_below_swap A M B x y : sum_below_one (A ++ x :: M ++ y :: B) -> sum_below_one (A ++ y :: M ++ x :: B).
Proof.
  intros [Hn Hs]. split.
  - intros r Hr. apply Hn. rewrite !in_app_iff in *. simpl in *. rewrite !in_app_iff in *. simpl in *. tauto.
  - rewrite !sum_list_app in *. simpl in *. rewrite !sum_list_app in *. simpl in *. lra.
Qed.

Theorem ct_pri : Pri_charitable (CT alpha 1).
Proof.
  intros A B x y Hs Hxy. rewrite (ct_open _ Hs).
  rewrite (ct_open _ (sum_below_swap A [] B x y Hs : sum_below_one (A ++ y :: x :: B))).
  apply (pri_charitable_product open (phi_decay alpha)); auto.
Qed.

Theorem ct_pri_as_written_fails : ~ Pri_as_written (CT alpha 1).
Proof. apply (pri_as_written_fails m alpha); auto. Qed.

Theorem ct_deep : Deep_charitable (CT alpha 1).
Proof.
  intros A M B x y Hs Hxy.
  pose proof (sum_below_swap A [] (M ++ x :: y :: B) x y Hs) as Hup. simpl in Hup.
  assert (Hdown : sum_below_one (A ++ x :: y :: M ++ y :: x :: B)).
  { pose proof (sum_below_swap (A ++ x :: y :: M) [] B x y) as H. rewrite <- !app_assoc in H. apply H. exact Hs. }
  rewrite (ct_open _ Hup), (ct_open _ Hdown).
  apply Deep_charitably; [|exact Hs|exact Hxy].
  apply (deep_product open (phi_decay alpha)); auto.
  right. intros r Hr. rewrite phi_decay_constant; lra.
Qed.

(** A swap may fill the cube too early: (1/4, x, y, x, y) with y = 3/4 and x = y - (1 - alpha)/4. *)
Theorem ct_deep_as_written_fails : ~ Deep_as_written (CT alpha 1).
Proof.
  intros H. set (beta := 1 - alpha). assert (Hb : 0 < beta < 1) by (unfold beta; lra).
  set (x := 3 / 4 - beta / 4). assert (Hx : 1 / 2 < x < 3 / 4) by (unfold x; lra).
  specialize (H [1 / 4] [] [] x (3 / 4)). simpl in H.
  assert (He : each_below_one [1 / 4; x; 3 / 4; x; 3 / 4])
    by (intros r Hr; simpl in Hr; intuition lra).
  specialize (H He ltac:(lra)). unfold CT in H. fold m in H. rewrite !single_score in H by exact one.
  unfold spent in H. cbn [value app length] in H.
  assert (N0 : novelty m [] = 1) by exact (nu_first _ novel).
  assert (N1 : novelty m [1 / 4] = beta) by (apply (drop_some _ _ drop); lra).
  assert (N2 : novelty m [1 / 4; x] = beta * beta).
  { change (cube alpha 1 [1 / 4; x] = beta * beta). rewrite cube_decay by (simpl; lra).
    rewrite decay_product. simpl. rewrite !phi_decay_constant by lra. unfold beta. lra. }
  assert (Full : forall l, (forall r, In r l -> 0 <= r) -> 1 <= sum_list l -> novelty m l = 0).
  { intros l _ Hl. change (cube alpha 1 l = 0). unfold cube. destruct (Rlt_dec (sum_list l) 1); [lra|reflexivity]. }
  rewrite N0, N1, N2 in H.
  rewrite !Full in H by (try (simpl; lra); intros r Hr; simpl in Hr; intuition lra).
  assert (D2 : discount m 2 = / 2) by reflexivity.
  assert (D3 : discount m 3 = / 3) by (simpl; unfold reciprocal; f_equal; simpl; lra).
  rewrite D2, D3 in H. unfold x in H. simpl effort in H.
  assert (Hpos : 0 < beta * beta) by (apply Rmult_lt_0_compat; lra).
  lra.
Qed.

Theorem ct_deepth_as_written : DeepTh_as_written (CT alpha 1).
Proof. apply (deepth_as_written m); auto. Qed.

Theorem ct_deepth : DeepTh_charitable (CT alpha 1).
Proof. apply (deepth_charitable m); auto. exists O. intros n Hn _. exact (reciprocal_tail n Hn). Qed.

Theorem ct_closeth_never r : 0 < r < 1 -> ~ CloseTh_at (CT alpha 1) r /\ ~ CloseTh_padded_at (CT alpha 1) r.
Proof. intros Hr. apply (never_close m); auto. exact reciprocal_tail. Qed.

Theorem ct_closeth_as_written_fails : ~ CloseTh_as_written (CT alpha 1).
Proof. apply never_never_as_written. intros r Hr. apply ct_closeth_never. exact Hr. Qed.

Theorem ct_closeth_fails : ~ CloseTh_charitable (CT alpha 1).
Proof. apply never_padded_never_charitable. intros r Hr. apply ct_closeth_never. exact Hr. Qed.

Theorem ct_conf_as_written_fails : ~ Conf_as_written (CT alpha 1).
Proof. apply (conf_fails_without_effort m); auto using zero_each. Qed.

Theorem ct_conf_fails : ~ Conf_charitable (CT alpha 1).
Proof. apply (conf_fails_without_effort m); auto using zero_sum. Qed.

Theorem ct_aspdiv_as_written_fails : ~ AspDiv_as_written (CT alpha 1).
Proof. apply (aspdiv_as_written_fails m alpha); auto. Qed.

Theorem ct_aspdiv : AspDiv_charitable (CT alpha 1).
Proof.
  apply (aspdiv_charitable m); auto. intros l Hl. change (0 < cube alpha 1 l).
  rewrite cube_decay by exact (proj2 Hl). rewrite decay_product.
  apply product_range; [exact soft|exact (sum_below_each l Hl)].
Qed.

Theorem ct_red : Red_charitable (CT alpha 1).
Proof.
  apply (red_when m); auto. intros T l t t' r Ht Ht' Hr [Hr1 Hroom] Hc.
  change (cube alpha 1 (column t (map (binary r) l)) < cube alpha 1 (column t' (map (binary r) l))).
  assert (Hopen : forall u, (u < T)%nat -> sum_list (column u (map (binary r) l)) < 1).
  { intros u Hu. rewrite binary_sum. pose proof (Hroom u Hu) as H. rewrite plus_INR in H. simpl in H. lra. }
  rewrite !cube_decay by auto. rewrite !decay_product, !binary_product by exact (phi_zero _ soft).
  rewrite phi_decay_constant by exact Hr. apply pow_less; [lra|lia].
Qed.

Theorem ct_red_as_written_fails : ~ Red_as_written (CT alpha 1).
Proof. apply (red_as_written_fails m); auto. Qed.

Let same_count : novelty m [1 / 4] = novelty m [1 / 8].
Proof. rewrite !(drop_some _ _ drop) by lra. reflexivity. Qed.

Theorem ct_mred_as_written_fails : ~ MRed_as_written (CT alpha 1).
Proof. apply (mred_as_written_fails m); auto. Qed.

Theorem ct_mred_fails : ~ MRed_charitable (CT alpha 1).
Proof. apply (mred_charitable_fails m); auto. Qed.

Theorem ct_sat : Sat_charitable (CT alpha 1).
Proof. apply (sat_charitable m); auto. Qed.

Theorem ct_sat_as_written : Sat_as_written (CT alpha 1).
Proof. apply Sat_as_written_from_charitable, ct_sat. Qed.

Theorem ct_asprel : AspRel_charitable (CT alpha 1).
Proof. apply asprel_charitable; [exact falling|exact (cube_ignores_zeros alpha Ha)]. Qed.

Theorem ct_asprel_as_written_fails : ~ AspRel_as_written (CT alpha 1).
Proof.
  apply (asprel_as_written_fails _ _ _ alpha); auto; [exact (drop_zero _ _ drop)|lra|].
  exact (drop_some _ _ drop (1 / 2) ltac:(lra)).
Qed.

(** *** As written with a cutoff *)

Theorem ct_cut_deepth_as_written k : (1 <= k)%nat -> DeepTh_as_written (cut k (CT alpha 1)).
Proof. intros Hk. apply (deepth_cut m); auto. Qed.

Theorem ct_cut_closeth_as_written_fails k : (1 <= k)%nat -> ~ CloseTh_as_written (cut k (CT alpha 1)).
Proof.
  intros Hk. apply never_never_as_written. intros r Hr. apply (never_close_cut m k); auto. exact reciprocal_tail.
Qed.

Theorem ct_cut_sat_as_written k : Sat_as_written (cut k (CT alpha 1)).
Proof. apply sat_cut, ct_sat. Qed.
(** *** Charitably with a cutoff: rankings of up to k documents *)

Theorem ct_cut_pri k : Pri_charitable_within k (cut k (CT alpha 1)).
Proof. apply pri_within, ct_pri. Qed.

Theorem ct_cut_deep k : Deep_charitable_within k (cut k (CT alpha 1)).
Proof. apply deep_within, ct_deep. Qed.

Theorem ct_cut_aspdiv k : AspDiv_charitable_within k (cut k (CT alpha 1)).
Proof. apply aspdiv_within, ct_aspdiv. Qed.

Theorem ct_cut_red k : Red_charitable_within k (cut k (CT alpha 1)).
Proof. apply red_within, ct_red. Qed.

Theorem ct_cut_sat k : Sat_charitable_within k (cut k (CT alpha 1)).
Proof. apply sat_within, ct_sat. Qed.

Theorem ct_cut_asprel k : AspRel_charitable_within k (cut k (CT alpha 1)).
Proof. apply asprel_within, ct_asprel. Qed.

Theorem ct_cut_deepth k : (2 <= k)%nat -> DeepTh_charitable_within k (cut k (CT alpha 1)).
Proof. intros Hk. apply (deepth_within m); auto. exact reciprocal_tail. Qed.

Theorem ct_cut_closeth_fails k : ~ CloseTh_charitable_within k (cut k (CT alpha 1)).
Proof. apply closeth_within_fails, ct_closeth_fails. Qed.

Theorem ct_cut_conf_fails k : (2 <= k)%nat -> ~ Conf_charitable_within k (cut k (CT alpha 1)).
Proof. intros Hk. apply (conf_within_fails k m); auto. Qed.

Theorem ct_cut_mred_fails k : (2 <= k)%nat -> ~ MRed_charitable_within k (cut k (CT alpha 1)).
Proof. intros Hk. apply (mred_within_fails k m); auto. Qed.

End CT.
