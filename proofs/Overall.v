(** Metrics without aspects, which use max_t r: on a single aspect they equal the metric itself, and of the diversity
    constraints as written they satisfy those that do not distinguish aspects. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity.
Import ListNotations.
Open Scope R_scope.

(** ** A single aspect *)

Lemma overall_single r : 0 <= r -> overall 1 (fun _ => r) = r.
Proof. intros H. apply Rmax_right. exact H. Qed.

Lemma single_overall Q l : (forall r, In r l -> 0 <= r) -> single (without_aspects Q) l = single Q l.
Proof.
  intros H. unfold single, without_aspects. f_equal. rewrite map_map. apply map_ext_in.
  intros r Hr. rewrite overall_single by auto. reflexivity.
Qed.

Lemma each_nonneg l : each_below_one l -> forall r, In r l -> 0 <= r.
Proof. intros H r Hr. apply H. exact Hr. Qed.

Lemma same_members {X} (A M B : list X) x y r : In r (A ++ y :: M ++ x :: B) -> In r (A ++ x :: M ++ y :: B).
Proof. rewrite !in_app_iff. simpl. rewrite !in_app_iff. simpl. tauto. Qed.

Theorem pri_overall Q : Pri_as_written Q -> Pri_as_written (without_aspects Q).
Proof.
  intros H A M B x y He Hxy. pose proof (each_nonneg _ He) as Hn.
  rewrite !single_overall; [apply H; assumption|exact Hn|].
  intros r Hr. apply Hn, same_members, Hr.
Qed.

Theorem deep_overall Q : Deep_as_written Q -> Deep_as_written (without_aspects Q).
Proof.
  intros H A M B x y He Hxy. pose proof (each_nonneg _ He) as Hn.
  rewrite !single_overall; [apply H; assumption| |];
    intros r Hr; apply Hn; rewrite !in_app_iff in *; simpl in *; rewrite !in_app_iff in *; simpl in *; tauto.
Qed.

Lemma one_first_nonneg r : 0 < r -> forall x, In x (one_first r) -> 0 <= x.
Proof. intros Hr x [<-|[]]. lra. Qed.

Lemma padded_nonneg r n : 0 < r -> forall x, In x (one_first_padded r n) -> 0 <= x.
Proof. intros Hr x [<-|Hx]; [lra|]. apply repeat_spec in Hx. lra. Qed.

Lemma behind_nonneg r n : 0 < r -> forall x, In x (n_behind_n r n) -> 0 <= x.
Proof. intros Hr x Hx. apply in_app_or in Hx as [Hx|Hx]; apply repeat_spec in Hx; lra. Qed.

Theorem deepth_as_written_overall Q : DeepTh_as_written Q -> DeepTh_as_written (without_aspects Q).
Proof.
  intros H r Hr. destruct (H r Hr) as [n [Hn Hlt]]. exists n. split; [exact Hn|].
  rewrite !single_overall by (apply one_first_nonneg || apply behind_nonneg; lra). exact Hlt.
Qed.

Theorem deepth_charitable_overall Q : DeepTh_charitable Q -> DeepTh_charitable (without_aspects Q).
Proof.
  intros H r Hr. destruct (H r Hr) as [N HN]. exists N. intros n Hn Hle.
  rewrite !single_overall by (apply padded_nonneg || apply behind_nonneg; lra). apply HN; assumption.
Qed.

Theorem closeth_charitable_overall Q : CloseTh_charitable (without_aspects Q) <-> CloseTh_charitable Q.
Proof.
  split; intros [n [eps [Hn [Heps H]]]]; exists n, eps; (split; [exact Hn|split; [exact Heps|]]); intros r Hr;
    specialize (H r Hr); rewrite !single_overall in * by (apply padded_nonneg || apply behind_nonneg; lra); exact H.
Qed.

Theorem closeth_at_overall Q r : 0 < r -> (CloseTh_at (without_aspects Q) r <-> CloseTh_at Q r).
Proof.
  intros Hr. split; intros [n [Hn H]]; exists n; (split; [exact Hn|]);
    rewrite !single_overall in * by (apply one_first_nonneg || apply behind_nonneg; lra); exact H.
Qed.

Theorem conf_overall (small : contribution) Q :
  (forall l, small l -> forall r, In r l -> 0 <= r) -> Conf_when small (without_aspects Q) -> Conf_when small Q.
Proof.
  intros Hn H l Hl Hs. specialize (H l Hl Hs). rewrite !single_overall in H; [exact H| |exact (Hn l Hs)].
  intros r Hr. apply in_app_or in Hr as [Hr|[<-|[]]]; [exact (Hn l Hs r Hr)|lra].
Qed.

Theorem conf_as_written_overall_fails Q : ~ Conf_as_written Q -> ~ Conf_as_written (without_aspects Q).
Proof. intros H Hc. apply H. exact (conf_overall each_below_one Q each_nonneg Hc). Qed.

Theorem conf_charitable_overall_fails Q : ~ Conf_charitable Q -> ~ Conf_charitable (without_aspects Q).
Proof. intros H Hc. apply H. exact (conf_overall sum_below_one Q (fun l Hl => proj1 Hl) Hc). Qed.

(** ** Several aspects *)

Lemma overall_less T x y :
  (0 < T)%nat -> (forall t, (t < T)%nat -> 0 <= x t /\ x t < y t) -> overall T x < overall T y.
Proof.
  intros HT H. destruct T as [|T]; [lia|]. clear HT. induction T as [|T IH].
  - simpl. destruct (H 0%nat ltac:(lia)). unfold Rmax.
    destruct (Rle_dec 0 (x 0%nat)), (Rle_dec 0 (y 0%nat)); lra.
  - assert (overall (S T) x < overall (S T) y) by (apply IH; intros; apply H; lia).
    destruct (H (S T) ltac:(lia)). change (overall (S (S T)) x) with (Rmax (overall (S T) x) (x (S T))).
    change (overall (S (S T)) y) with (Rmax (overall (S T) y) (y (S T))). unfold Rmax.
    destruct (Rle_dec (overall (S T) x) (x (S T))), (Rle_dec (overall (S T) y) (y (S T))); lra.
Qed.

Lemma overall_range T x : (forall t, (t < T)%nat -> 0 <= x t < 1) -> 0 <= overall T x < 1.
Proof.
  induction T as [|T IH]; intros H; simpl; [lra|].
  assert (0 <= overall T x < 1) by (apply IH; intros; apply H; lia). pose proof (H T ltac:(lia)).
  unfold Rmax. destruct (Rle_dec (overall T x) (x T)); lra.
Qed.

Lemma contributes_member T d x t :
  contributes each_below_one T d -> In x d -> (t < T)%nat -> 0 <= x t < 1.
Proof. intros H Hx Ht. apply (H t Ht). unfold column. apply (in_map (fun z : document => z t)). exact Hx. Qed.

Theorem aspdiv_overall Q : AspDiv_as_written Q -> AspDiv_as_written (without_aspects Q).
Proof.
  intros H T w A B x y Hw _ Hx Hy Hxy. unfold without_aspects. rewrite !map_app. simpl.
  assert (Hc : forall v, (v = x \/ v = y) -> contributes each_below_one 1
    (map (fun z _ => overall T z) A ++ (fun _ => overall T v) :: map (fun z _ => overall T z) B)).
  { intros v Hv t Ht r Hr. unfold column in Hr. rewrite map_app in Hr. simpl in Hr. rewrite !map_map in Hr.
    assert (Hd : contributes each_below_one T (A ++ v :: B)) by (destruct Hv; subst; assumption).
    assert (Hm : In r (map (overall T) (A ++ v :: B))) by (rewrite map_app; exact Hr).
    apply in_map_iff in Hm as [z [<- Hz]]. apply overall_range. intros u Hu.
    exact (contributes_member T _ z u Hd Hz Hu). }
  apply H; [exact proper_one|exact I|apply Hc; auto|apply Hc; auto|].
  intros t _. apply overall_less; [exact (proper_some T w Hw)|]. intros u Hu. split; [|exact (Hxy u Hu)].
  apply (contributes_member T (A ++ x :: B) x u Hx); [apply in_or_app; right; left; reflexivity|exact Hu].
Qed.

(** The score does not depend on which of two aspects a document is about. *)
Lemma overall_about a r : (a < 2)%nat -> 0 <= r -> overall 2 (about a r) = r.
Proof.
  intros Ha Hr. destruct a as [|[|a]]; [| |lia]; unfold overall, about; simpl.
  - rewrite (Rmax_right 0 r) by lra. apply Rmax_left. lra.
  - rewrite (Rmax_right 0 0) by lra. apply Rmax_right. lra.
Qed.

Lemma overall_blind Q w A B a b r :
  (a < 2)%nat -> (b < 2)%nat -> 0 <= r ->
  without_aspects Q 2%nat w (A ++ about a r :: B) = without_aspects Q 2%nat w (A ++ about b r :: B).
Proof.
  intros Ha Hb Hr. unfold without_aspects. rewrite !map_app. cbn [map].
  rewrite (overall_about a r Ha Hr), (overall_about b r Hb Hr). reflexivity.
Qed.

Theorem red_overall_fails Q : ~ Red_as_written (without_aspects Q).
Proof.
  intros H. specialize (H 2%nat [Some 0%nat] 0%nat 1%nat (1 / 4) ltac:(lia) ltac:(lia) ltac:(lia)).
  assert (Hin : forall u, In (Some u) [Some 0%nat] -> (u < 2)%nat) by (intros u [E|[]]; inversion E; lia).
  specialize (H Hin ltac:(lra) quarter_at_most_one ltac:(unfold count; simpl; lia)).
  rewrite (overall_blind Q _ _ [] 1 0) in H by (lia || lra). lra.
Qed.

Theorem mred_overall_fails Q : ~ MRed_as_written (without_aspects Q).
Proof.
  intros H. specialize (H [more_about_t] (1 / 8) ltac:(discriminate) ltac:(lra)).
  assert (Hc : forall a, (a < 2)%nat -> contributes each_below_one 2 ([more_about_t] ++ [about a (1 / 8)])).
  { intros a Ha t Ht r Hr. simpl in Hr. unfold more_about_t, about in Hr.
    destruct Hr as [<-|[<-|[]]]; [destruct (Nat.eqb t 0)|destruct (Nat.eqb t a)]; lra. }
  assert (Hmore : forall x, In x [more_about_t] -> x 0%nat > x 1%nat).
  { intros x [<-|[]]. unfold more_about_t. simpl. lra. }
  specialize (H (Hc 1%nat ltac:(lia)) (Hc 0%nat ltac:(lia)) Hmore).
  rewrite (overall_blind Q _ _ [] 1 0) in H by (lia || lra). lra.
Qed.

Theorem asprel_overall_fails Q : ~ AspRel_as_written (without_aspects Q).
Proof.
  intros H. pose proof (proper_two (1 / 4) (3 / 4) ltac:(lra) ltac:(lra) ltac:(lra)) as Hw.
  specialize (H 2%nat _ [] [] 0%nat 1%nat (1 / 2) Hw ltac:(lia) ltac:(lia) ltac:(lra) ltac:(simpl; lra)).
  assert (Hno : forall allowed, no_overlap 2 allowed []) by (intros allowed x []).
  specialize (H (Hno _) (Hno _)). rewrite (overall_blind Q _ [] [] 1 0) in H by (lia || lra). lra.
Qed.

(** After a document of relevance r_max, one of relevance r about the same aspect, on a single aspect. *)
Lemma sat_overall_single Q r_max r :
  0 <= r_max -> 0 <= r ->
  without_aspects Q 1%nat (fun _ => 1) [about 0%nat r_max; about 0%nat r] = single Q [r_max; r] /\
  without_aspects Q 1%nat (fun _ => 1) [about 0%nat r_max] = single Q [r_max].
Proof.
  intros Hm Hr.
  assert (E : forall v, 0 <= v -> overall 1 (about 0%nat v) = v) by (intros v Hv; apply Rmax_right; exact Hv).
  unfold without_aspects, single. cbn [map]. rewrite !E by assumption. split; reflexivity.
Qed.
