(** The charitable reading with a cutoff: what holds of Q for all rankings holds of Q@k for those of up to k documents,
    and what fails of Q by rankings of two documents fails of Q@k from k = 2 on. *)

From Coq Require Import Reals List Lia Lra.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity Cutoffs Overall.
Import ListNotations.
Open Scope R_scope.

Lemma single_visible k Q l : (length l <= k)%nat -> single (cut k Q) l = single Q l.
Proof. intros H. rewrite single_cut, firstn_all2 by exact H. reflexivity. Qed.

Lemma padded_length r n : (1 <= n)%nat -> length (one_first_padded r n) = (2 * n)%nat.
Proof. intros H. unfold one_first_padded. cbn [length]. rewrite repeat_length. lia. Qed.

Lemma behind_length r n : length (n_behind_n r n) = (2 * n)%nat.
Proof. unfold n_behind_n. rewrite app_length, !repeat_length. lia. Qed.

(** *** What holds *)

Theorem pri_within k Q : Pri_charitable Q -> Pri_charitable_within k (cut k Q).
Proof.
  intros H A B x y Hk Hs Hxy.
  rewrite !single_visible by (rewrite app_length in *; cbn [length] in *; lia). apply H; assumption.
Qed.

Theorem deep_within k Q : Deep_charitable Q -> Deep_charitable_within k (cut k Q).
Proof.
  intros H A M B x y [Hk Hs] Hxy.
  rewrite !single_visible by (repeat (rewrite app_length in * || cbn [length] in * ); lia). apply H; assumption.
Qed.

Theorem conf_within k Q : Conf_charitable Q -> Conf_charitable_within k (cut k Q).
Proof.
  intros H l Hl [Hk Hs].
  rewrite !single_visible by (rewrite ?app_length; cbn [length]; lia). apply H; assumption.
Qed.

Lemma contributes_up_to k small T d : contributes (up_to k small) T d -> contributes small T d.
Proof. intros H t Ht. exact (proj2 (H t Ht)). Qed.

Lemma contributes_length k small T d : (0 < T)%nat -> contributes (up_to k small) T d -> (length d <= k)%nat.
Proof. intros HT H. rewrite <- (column_length 0%nat d). exact (proj1 (H 0%nat HT)). Qed.

Theorem aspdiv_within k Q : AspDiv_charitable Q -> AspDiv_charitable_within k (cut k Q).
Proof.
  intros H T w A B x y Hw HB Hx Hy Hxy. pose proof (proper_some T w Hw) as HT.
  rewrite !cut_visible by (eapply contributes_length; eassumption).
  apply H; try assumption; eapply contributes_up_to; eassumption.
Qed.

Theorem red_within k Q : Red_charitable Q -> Red_charitable_within k (cut k Q).
Proof.
  intros H T l t t' r Ht Ht' Hne Hl Hr [Hk Hu] Hc.
  rewrite !cut_visible by (rewrite app_length, map_length; cbn [length]; lia). apply H; assumption.
Qed.

Theorem mred_within k Q : MRed_charitable Q -> MRed_charitable_within k (cut k Q).
Proof.
  intros H d r Hd Hr Hx Hy Hm.
  rewrite !cut_visible by (eapply (contributes_length k sum_below_one 2); [lia|eassumption]).
  apply H; try assumption; eapply contributes_up_to; eassumption.
Qed.

Theorem sat_within k Q : Sat_charitable Q -> Sat_charitable_within k (cut k Q).
Proof.
  intros H T w d t r Hk Hw Ht Hd Hr.
  rewrite !cut_visible by (rewrite !app_length; cbn [length]; lia). apply H; assumption.
Qed.

Theorem asprel_within k Q : AspRel_charitable Q -> AspRel_charitable_within k (cut k Q).
Proof.
  intros H T w A B t t' r Hk Hw Ht Ht' Hr Hww HA HB.
  rewrite !cut_visible by (rewrite app_length in *; cbn [length] in *; lia). apply H; assumption.
Qed.

(** DeepTh needs every n that fits: it holds from N = 1 on if the sum of the discounts never reaches the first one. *)
Theorem deepth_within m k :
  (2 <= k)%nat -> weighs_one m -> bounded (novelty m) -> decreasing (discount m) ->
  (forall n, (1 <= n)%nat -> sum_to n (fun j => discount m (S (n + j))) < discount m 1) ->
  DeepTh_charitable_within k (cut k (score m)).
Proof.
  intros Hk Hw Hnu HD H r Hr. exists 1%nat. split; [lia|]. split; [lia|]. intros n Hn Hfit.
  rewrite !single_visible by (rewrite ?padded_length, ?behind_length; lia).
  rewrite padded_score by assumption. pose proof (behind_bound m r n Hw Hnu HD ltac:(lra)). specialize (H n Hn).
  assert (r * sum_to n (fun j => discount m (S (n + j))) < r * discount m 1) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

(** The longest rankings that fit decide, n = k/2. *)
Theorem deepth_within_at_iff k Q r :
  (2 <= k)%nat ->
  (DeepTh_charitable_within_at k (cut k Q) r <->
   single Q (one_first_padded r (k / 2)) > single Q (n_behind_n r (k / 2))).
Proof.
  intros Hk. pose proof (Nat.div_mod k 2 ltac:(lia)) as E. pose proof (Nat.mod_upper_bound k 2 ltac:(lia)).
  split.
  - intros [N [HN [Hfit H']]]. specialize (H' (k / 2)%nat ltac:(lia) ltac:(lia)).
    rewrite !single_visible in H' by (rewrite ?padded_length, ?behind_length; lia). exact H'.
  - intros H'. exists (k / 2)%nat. split; [lia|]. split; [lia|]. intros n Hn Hfit.
    replace n with (k / 2)%nat by lia.
    rewrite !single_visible by (rewrite ?padded_length, ?behind_length; lia). exact H'.
Qed.

(** *** What fails *)

Theorem closeth_within k Q : CloseTh_charitable_within k (cut k Q) -> CloseTh_charitable Q.
Proof.
  intros [m [eps [Hm [Hk [Heps H]]]]]. exists m, eps. split; [exact Hm|]. split; [exact Heps|]. intros r Hr.
  specialize (H r Hr). rewrite !single_visible in H by (rewrite ?padded_length, ?behind_length; lia). exact H.
Qed.

Theorem closeth_within_fails k Q : ~ CloseTh_charitable Q -> ~ CloseTh_charitable_within k (cut k Q).
Proof. intros H Hk. apply H. exact (closeth_within k Q Hk). Qed.

Theorem conf_within_fails k m :
  (2 <= k)%nat -> weighs_one m -> effort m = 0 -> ~ Conf_charitable_within k (cut k (score m)).
Proof.
  intros Hk Hw He H. specialize (H [0] ltac:(discriminate)).
  assert (Hs : (S (length [0]) <= k)%nat /\ sum_below_one [0]) by (split; [simpl; lia|exact zero_sum]).
  specialize (H Hs). rewrite !single_visible in H by (simpl; lia).
  rewrite single_append in H by exact Hw. rewrite He in H. lra.
Qed.

Theorem conf_within_overall_fails k m :
  (2 <= k)%nat -> weighs_one m -> effort m = 0 -> ~ Conf_charitable_within k (cut k (without_aspects (score m))).
Proof.
  intros Hk Hw He H. apply (conf_within_fails k m Hk Hw He). intros l Hl [Hlen Hs]. specialize (H l Hl (conj Hlen Hs)).
  rewrite !single_visible in * by (rewrite ?app_length; cbn [length]; lia).
  rewrite (single_overall (score m) l) in H by exact (proj1 Hs).
  rewrite (single_overall (score m) (l ++ [0])) in H; [exact H|].
  intros r Hr. apply in_app_or in Hr as [Hr|[<-|[]]]; [exact (proj1 Hs r Hr)|lra].
Qed.

Theorem mred_within_fails k m :
  (2 <= k)%nat -> weighs_evenly m -> novelty m [1 / 4] = novelty m [1 / 8] ->
  ~ MRed_charitable_within k (cut k (score m)).
Proof.
  intros Hk Heven Hnu H.
  apply (mred_fails m (up_to k sum_below_one) Heven Hnu); try (split; [simpl; lia|small_pair]).
  intros d r Hd Hr Hx Hy Hm. specialize (H d r Hd Hr Hx Hy Hm).
  rewrite !cut_visible in H by (eapply (contributes_length k sum_below_one 2); [lia|eassumption]).
  exact H.
Qed.
