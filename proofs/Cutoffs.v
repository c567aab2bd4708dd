(** A cutoff k: Q@k does not depend on documents after rank k, so that no metric with a cutoff satisfies the
    constraints about changes there as written. Charitably no ranking is longer than k, and Q@k is Q. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity.
Import ListNotations.
Open Scope R_scope.

(** The charitable reading: rankings of up to k documents. *)
Theorem cut_visible k Q T w d : (length d <= k)%nat -> cut k Q T w d = Q T w d.
Proof. intros H. unfold cut. rewrite firstn_all2 by exact H. reflexivity. Qed.

Lemma single_cut k Q l : single (cut k Q) l = single Q (firstn k l).
Proof. unfold single, cut. rewrite firstn_map. reflexivity. Qed.

Lemma firstn_hidden {X} k (A B C : list X) : (k <= length A)%nat -> firstn k (A ++ B) = firstn k (A ++ C).
Proof. intros H. rewrite !firstn_before by exact H. reflexivity. Qed.

Lemma in_repeat {X} (x y : X) n : In y (repeat x n) -> y = x.
Proof. apply repeat_spec. Qed.

Lemma column_repeat t (x : document) n : column t (repeat x n) = repeat (x t) n.
Proof. unfold column. induction n as [|n IH]; simpl; [reflexivity|rewrite IH; reflexivity]. Qed.

Theorem pri_cut_fails k Q : ~ Pri_as_written (cut k Q).
Proof.
  intros H. specialize (H (repeat 0 k) [] [] 0 (1 / 2)).
  assert (He : each_below_one (repeat 0 k ++ 0 :: [] ++ [1 / 2])).
  { intros r Hr. apply in_app_or in Hr as [Hr|[<-|[<-|[]]]]; [apply in_repeat in Hr; subst| |]; lra. }
  specialize (H He ltac:(lra)). rewrite !single_cut in H.
  rewrite (firstn_hidden k (repeat 0 k) (1 / 2 :: [] ++ [0]) (0 :: [] ++ [1 / 2])) in H
    by (rewrite repeat_length; lia).
  lra.
Qed.

Theorem deep_cut_fails k Q : ~ Deep_as_written (cut k Q).
Proof.
  intros H. specialize (H (repeat 0 k) [] [] 0 (1 / 2)).
  assert (He : each_below_one (repeat 0 k ++ 0 :: 1 / 2 :: [] ++ [0; 1 / 2])).
  { intros r Hr. apply in_app_or in Hr as [Hr|[<-|[<-|[<-|[<-|[]]]]]]; [apply in_repeat in Hr; subst| | | |]; lra. }
  specialize (H He ltac:(lra)). rewrite !single_cut in H.
  rewrite (firstn_hidden k (repeat 0 k) (1 / 2 :: 0 :: [] ++ [0; 1 / 2]) (0 :: 1 / 2 :: [] ++ [1 / 2; 0])) in H
    by (rewrite repeat_length; lia).
  lra.
Qed.

Theorem conf_cut_fails k Q : ~ Conf_as_written (cut k Q).
Proof.
  intros H. specialize (H (repeat 0 (S k)) ltac:(discriminate)).
  assert (He : each_below_one (repeat 0 (S k))) by (intros r Hr; apply in_repeat in Hr; subst; lra).
  specialize (H He). rewrite !single_cut in H.
  rewrite (firstn_before (repeat 0 (S k))) in H by (rewrite repeat_length; lia). lra.
Qed.

Theorem aspdiv_cut_fails k Q : ~ AspDiv_as_written (cut k Q).
Proof.
  intros H.
  specialize (H 1%nat (fun _ => 1) (repeat nothing k) [] nothing (fun _ => 1 / 2) proper_one I).
  assert (Hc : forall x : document, 0 <= x 0%nat < 1 -> contributes each_below_one 1 (repeat nothing k ++ [x])).
  { intros x Hx [|t] Ht r Hr; [|lia]. rewrite column_app in Hr. apply in_app_or in Hr as [Hr|Hr].
    - rewrite column_repeat in Hr. apply in_repeat in Hr. subst. unfold nothing. lra.
    - destruct Hr as [<-|[]]. exact Hx. }
  specialize (H (Hc nothing ltac:(unfold nothing; lra)) (Hc (fun _ => 1 / 2) ltac:(simpl; lra)) ltac:(intros; unfold nothing; lra)).
  unfold cut in H.
  rewrite !firstn_before in H by (rewrite repeat_length; lia). lra.
Qed.

Theorem red_cut_fails k Q : ~ Red_as_written (cut k Q).
Proof.
  intros H. set (l := Some 0%nat :: repeat None k : list (option aspect)).
  specialize (H 2%nat l 0%nat 1%nat (1 / 2) ltac:(lia) ltac:(lia) ltac:(lia)).
  assert (Hnone : forall t, count t (repeat None k) = 0%nat).
  { intros t. unfold count. clear. induction k; [reflexivity|simpl; assumption]. }
  assert (Hin : forall u, In (Some u) l -> (u < 2)%nat).
  { intros u [E|E]; [inversion E; lia|apply in_repeat in E; discriminate]. }
  assert (Hcount : (count 0 l > count 1 l)%nat).
  { change (count 0%nat l) with (S (count 0%nat (repeat None k))).
    change (count 1%nat l) with (count 1%nat (repeat None k)).
    rewrite !Hnone. lia. }
  specialize (H Hin ltac:(lra) ltac:(unfold at_most_one; lra) Hcount). unfold cut in H.
  rewrite (firstn_hidden k (map (binary (1 / 2)) l) [about 1%nat (1 / 2)] [about 0%nat (1 / 2)]) in H.
  - lra.
  - rewrite map_length. unfold l. simpl. rewrite repeat_length. lia.
Qed.

Theorem mred_cut_fails k Q : ~ MRed_as_written (cut k Q).
Proof.
  intros H. specialize (H (repeat more_about_t (S k)) (1 / 8) ltac:(discriminate) ltac:(lra)).
  assert (Hc : forall a, (a < 2)%nat ->
    contributes each_below_one 2 (repeat more_about_t (S k) ++ [about a (1 / 8)])).
  { intros a Ha t Ht r Hr. rewrite column_app in Hr. apply in_app_or in Hr as [Hr|Hr].
    - rewrite column_repeat in Hr. apply in_repeat in Hr. subst.
      unfold more_about_t. destruct (Nat.eqb t 0); lra.
    - destruct Hr as [<-|[]]. unfold about. destruct (Nat.eqb t a); lra. }
  assert (Hmore : forall x, In x (repeat more_about_t (S k)) -> x 0%nat > x 1%nat).
  { intros x Hx. apply in_repeat in Hx. subst. unfold more_about_t. simpl. lra. }
  specialize (H (Hc 1%nat ltac:(lia)) (Hc 0%nat ltac:(lia)) Hmore). unfold cut in H.
  rewrite (firstn_hidden k (repeat more_about_t (S k)) [about 1%nat (1 / 8)] [about 0%nat (1 / 8)]) in H
    by (rewrite repeat_length; lia).
  lra.
Qed.

Theorem asprel_cut_fails k Q : ~ AspRel_as_written (cut k Q).
Proof.
  intros H. pose proof (proper_two (1 / 4) (3 / 4) ltac:(lra) ltac:(lra) ltac:(lra)) as Hp.
  specialize (H 2%nat _ (repeat nothing k) [] 0%nat 1%nat (1 / 2) Hp ltac:(lia) ltac:(lia) ltac:(lra)).
  assert (HA : no_overlap 2 (fun u => u <> 0%nat /\ u <> 1%nat) (repeat nothing k)).
  { intros x Hx. apply in_repeat in Hx. subst. constructor. }
  assert (HB : no_overlap 2 (fun _ => True) []) by (intros x []).
  specialize (H ltac:(simpl; lra) HA HB). unfold cut in H.
  rewrite (firstn_hidden k (repeat nothing k) [about 1%nat (1 / 2)] [about 0%nat (1 / 2)]) in H
    by (rewrite repeat_length; lia).
  lra.
Qed.

(** Constraints that do not concern the end of the ranking still hold with a cutoff. *)

Theorem sat_cut k Q : Sat_charitable Q -> Sat_as_written (cut k Q).
Proof.
  intros H. exists 1. split; [lra|]. intros T w d t r Hp Ht Hd Hr. unfold cut.
  destruct (Nat.le_gt_cases k (length (d ++ [about t 1]))) as [Hk|Hk].
  - rewrite (firstn_before (d ++ [about t 1]) [about t r]) by exact Hk. lra.
  - rewrite !firstn_all2; [apply H; assumption|rewrite app_length; simpl; lia|lia].
Qed.

Theorem deepth_cut m k :
  (1 <= k)%nat -> weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> 0 <= effort m ->
  DeepTh_as_written (cut k (score m)).
Proof.
  intros Hk Hw Hnu HD He r Hr. destruct k as [|[|k]]; [lia| |].
  - exists 1%nat. split; [lia|]. rewrite !single_cut. unfold one_first, n_behind_n. simpl.
    rewrite !single_score by exact Hw. simpl. rewrite (nu_first _ Hnu).
    pose proof (positive _ HD 0). assert (0 < discount m 1 * r) by (apply Rmult_lt_0_compat; lra).
    unfold spent. simpl. lra.
  - exists 1%nat. split; [lia|]. rewrite !single_cut.
    rewrite !firstn_all2 by (unfold one_first, n_behind_n; simpl; lia).
    pose proof (behind_bound m r 1 Hw Hnu HD ltac:(lra)) as Hb. rewrite one_first_score by assumption.
    pose proof (falls _ HD 0). pose proof (positive _ HD 1).
    assert (0 <= effort m * discount m 2) by (apply Rmult_le_pos; lra).
    assert (r * discount m 2 < r * discount m 1) by (apply Rmult_lt_compat_l; lra).
    unfold spent in Hb. simpl in Hb. lra.
Qed.

Lemma value_firstn_le D nu above l k :
  decreasing D -> bounded nu -> (forall r, In r above -> 0 <= r <= 1) -> (forall r, In r l -> 0 <= r <= 1) ->
  value D nu above (firstn k l) <= value D nu above l.
Proof.
  intros HD Hnu. revert above k. induction l as [|r l IH]; intros above k Ha Hl; [rewrite firstn_nil; lra|].
  assert (Hr : 0 <= r <= 1) by (apply Hl; left; reflexivity).
  assert (Hrest : forall x, In x l -> 0 <= x <= 1) by (intros; apply Hl; right; assumption).
  assert (Ha' : forall x, In x (above ++ [r]) -> 0 <= x <= 1).
  { intros x Hx. apply in_app_or in Hx as [Hx|[<-|[]]]; auto. }
  pose proof (nu_range _ Hnu above Ha). pose proof (positive _ HD (length above)).
  assert (0 <= D (S (length above)) * (r * nu above)) by (repeat apply Rmult_le_pos; lra).
  destruct k as [|k]; simpl.
  - specialize (IH (above ++ [r]) O Ha' Hrest). simpl in IH. lra.
  - specialize (IH (above ++ [r]) k Ha' Hrest). lra.
Qed.

(** Without effort, a metric that violates CloseTh for every n violates it with a cutoff too. *)
Theorem never_close_cut m k :
  (1 <= k)%nat -> weighs_one m -> bounded (novelty m) -> decreasing (discount m) -> effort m = 0 ->
  (forall n, (1 <= n)%nat -> sum_to n (fun j => discount m (S (n + j))) < discount m 1) ->
  forall r, 0 < r < 1 -> ~ CloseTh_at (cut k (score m)) r.
Proof.
  intros Hk Hw Hnu HD He H r Hr [n [Hn Hlt]]. rewrite !single_cut in Hlt.
  rewrite (firstn_all2 (one_first r)) in Hlt by (simpl; lia).
  apply (proj1 (never_close m Hw Hnu HD ltac:(lra) H r Hr)). exists n. split; [exact Hn|].
  eapply Rlt_le_trans; [exact Hlt|].
  rewrite !single_score by exact Hw. unfold spent. rewrite He.
  assert (Hin : forall x, In x (n_behind_n r n) -> 0 <= x <= 1).
  { intros x Hx. unfold n_behind_n in Hx. apply in_app_or in Hx as [Hx|Hx]; apply in_repeat in Hx; subst; lra. }
  pose proof (value_firstn_le (discount m) (novelty m) [] (n_behind_n r n) k HD Hnu ltac:(intros x []) Hin). lra.
Qed.
