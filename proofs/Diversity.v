(** The five diversity-oriented constraints for `Sum` metrics over an abstract discount, and the pairs of rankings that
    violate them. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds.
Import ListNotations.
Open Scope R_scope.

(** Each aspect counts, if its weight is positive. *)
Definition weighs_all (m : sum) : Prop :=
  forall T w t, proper T w -> (t < T)%nat -> 0 < weigh m w t.

Lemma given_weighs_all D nu e : weighs_all (Sum given D nu e).
Proof. intros T w t [H _] Ht. exact (H t Ht). Qed.

Lemma uniform_weighs_all D nu e : weighs_all (Sum uniform D nu e).
Proof. intros T w t _ _. unfold weigh, uniform. lra. Qed.

Lemma proper_some T w : proper T w -> (0 < T)%nat.
Proof. intros [_ H]. destruct T; [simpl in H; lra|lia]. Qed.

Lemma proper_one : proper 1 (fun _ => 1).
Proof. split; [intros; lra|simpl; lra]. Qed.

Lemma proper_two a b : 0 < a -> 0 < b -> a + b = 1 -> proper 2 (fun t => if Nat.eqb t 0 then a else b).
Proof.
  intros Ha Hb Hab. split.
  - intros t Ht. destruct (Nat.eqb t 0); assumption.
  - simpl. lra.
Qed.

Lemma proper_balanced T : (0 < T)%nat -> proper T (balanced T).
Proof.
  intros HT. assert (0 < INR T) by (apply lt_0_INR; exact HT). split.
  - intros t _. unfold balanced. apply Rinv_0_lt_compat. assumption.
  - unfold balanced.
    assert (Hones : forall k c, sum_to k (fun _ => c) = INR k * c).
    { induction k as [|k IH]; intros c; [simpl; lra|]. rewrite S_INR. cbn [sum_to]. rewrite IH. lra. }
    rewrite Hones. apply Rinv_r. lra.
Qed.

Lemma weight_at_most_one T w t : proper T w -> (t < T)%nat -> w t <= 1.
Proof.
  intros [Hpos Hsum] Ht. rewrite <- Hsum.
  assert (E : sum_to T (fun u => if Nat.eqb u t then w u else 0) = w t).
  { rewrite (sum_to_one T t); [rewrite Nat.eqb_refl; reflexivity|exact Ht|].
    intros u Hu. apply Nat.eqb_neq in Hu. rewrite Hu. reflexivity. }
  rewrite <- E. apply sum_to_le. intros u Hu. pose proof (Hpos u Hu). destruct (Nat.eqb u t); lra.
Qed.

(** ** AspDiv *)

(** With d_i last, any novelty that is not exhausted suffices. *)
Theorem aspdiv_charitable m :
  weighs_all m -> decreasing (discount m) -> (forall l, sum_below_one l -> 0 < novelty m l) ->
  AspDiv_charitable (score m).
Proof.
  intros Hw HD Hnu T w A B x y Hp -> Hx Hy Hxy.
  rewrite !score_append. pose proof (positive _ HD (length A)) as HDpos.
  assert (Hlt : sum_to T (fun t => weigh m w t * x t * novelty m (column t A))
                < sum_to T (fun t => weigh m w t * y t * novelty m (column t A))).
  { apply sum_to_lt; [exact (proper_some T w Hp)|]. intros t Ht.
    assert (0 < novelty m (column t A)).
    { apply Hnu. specialize (Hx t Ht) as [Hn Hs]. rewrite column_app in Hn, Hs. rewrite sum_list_app in Hs.
      split; [intros r Hr; apply Hn, in_or_app; auto|].
      assert (0 <= sum_list (column t [x])) by (apply sum_list_nonneg; intros; apply Hn, in_or_app; auto). lra. }
    pose proof (Hw T w t Hp Ht). pose proof (Hxy t Ht).
    apply Rmult_lt_compat_r; [assumption|]. apply Rmult_lt_compat_l; assumption. }
  nra.
Qed.

(** With documents after it, the gain at rank i must exceed the loss below. *)
Theorem aspdiv_as_written_product m phi :
  weighs_all m -> multiplies m phi -> gentle phi ->
  (forall i B x y, each_below_one B -> 0 <= x -> x < y -> y < 1 ->
     0 < discount m (S i) * (y - x) + (phi y - phi x) * fresh (discount m) phi (S i) B) ->
  AspDiv_as_written (score m).
Proof.
  intros Hw Hm Hphi Hgain T w A B x y Hp _ Hx Hy Hxy. unfold Rgt.
  rewrite !score_columns.
  assert (Hlen : length (A ++ y :: B) = length (A ++ x :: B)) by (rewrite !app_length; reflexivity).
  rewrite Hlen.
  assert (Hlt : sum_to T (fun t => weigh m w t * value (discount m) (novelty m) [] (column t (A ++ x :: B)))
                < sum_to T (fun t => weigh m w t * value (discount m) (novelty m) [] (column t (A ++ y :: B)))).
  { apply sum_to_lt; [exact (proper_some T w Hp)|]. intros t Ht.
    apply Rmult_lt_compat_l; [exact (Hw T w t Hp Ht)|].
    rewrite !(value_by_product _ phi) by exact Hm. simpl length. cbn [product]. rewrite !Rmult_1_l.
    specialize (Hx t Ht). specialize (Hy t Ht). specialize (Hxy t Ht).
    rewrite !column_app. rewrite column_app in Hx, Hy. simpl in *. rewrite !fresh_app. cbn [fresh].
    apply each_app in Hx as [HA Hx]. apply each_cons in Hx as [Hxt HB].
    apply each_app in Hy as [_ Hy]. apply each_cons in Hy as [Hyt _].
    pose proof (product_range phi _ Hphi HA) as [HP _].
    specialize (Hgain (0 + length (column t A))%nat (column t B) (x t) (y t) HB (proj1 Hxt) Hxy (proj2 Hyt)).
    apply Rplus_lt_compat_l. apply Rmult_lt_compat_l; [exact HP|]. lra. }
  lra.
Qed.

Theorem aspdiv_as_written_cascade m :
  weighs_all m -> multiplies m phi_cascade -> decreasing (discount m) -> AspDiv_as_written (score m).
Proof.
  intros Hw Hm HD. apply (aspdiv_as_written_product m phi_cascade Hw Hm cascade_gentle).
  intros i B x y HB Hx Hxy Hy.
  pose proof (cascade_between (discount m) (S i) B HD HB) as H.
  pose proof (product_range _ _ cascade_gentle HB) as [HP _].
  pose proof (positive _ HD (S i + length B)). pose proof (falls _ HD i).
  assert (0 < product phi_cascade B * discount m (S (S i + length B))) by (apply Rmult_lt_0_compat; assumption).
  set (F := fresh (discount m) phi_cascade (S i) B) in *. unfold phi_cascade.
  assert (0 < (y - x) * (discount m (S i) - F)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Theorem aspdiv_as_written_always m :
  weighs_all m -> multiplies m phi_always -> decreasing (discount m) -> AspDiv_as_written (score m).
Proof.
  intros Hw Hm HD. apply (aspdiv_as_written_product m phi_always Hw Hm always_gentle).
  intros i B x y HB Hx Hxy Hy. unfold phi_always at 1 2. pose proof (positive _ HD i).
  assert (0 < discount m (S i) * (y - x)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** Novelty that drops by a fixed share, however small the relevance: a little relevance at the top then costs more
    below than it brings. *)
Record drops (nu : list R -> R) (alpha : R) : Prop := {
  drop_bounded : bounded nu;
  drop_zero : nu [0] = 1;
  drop_some : forall y, 0 < y < 1 -> nu [y] = 1 - alpha
}.

Lemma decay_drops alpha : 0 < alpha < 1 -> drops (decay alpha) alpha.
Proof.
  intros Ha. split; [apply decay_bounded; exact Ha| |].
  - unfold decay. simpl. destruct (Rlt_dec 0 0); [lra|reflexivity].
  - intros y Hy. unfold decay. simpl. destruct (Rlt_dec 0 y); simpl; lra.
Qed.

Lemma cube_drops alpha : 0 < alpha < 1 -> drops (cube alpha 1) alpha.
Proof.
  intros Ha. split; [apply cube_bounded; exact Ha| |].
  - rewrite cube_decay by (simpl; lra). exact (drop_zero _ _ (decay_drops alpha Ha)).
  - intros y Hy. rewrite cube_decay by (simpl; lra). apply (drop_some _ _ (decay_drops alpha Ha)). exact Hy.
Qed.

(** A relevance y with D(1) y < alpha D(2) / 2. *)
Definition little (D : nat -> R) (alpha : R) : R := alpha * D 2%nat / (4 * D 1%nat).

Lemma little_range D alpha :
  decreasing D -> 0 < alpha < 1 ->
  0 < little D alpha < 1 / 4 /\ D 1%nat * little D alpha = alpha * D 2%nat / 4.
Proof.
  intros HD Ha. pose proof (positive _ HD 0). pose proof (positive _ HD 1). pose proof (falls _ HD 0).
  assert (E : D 1%nat * little D alpha = alpha * D 2%nat / 4) by (unfold little; field; lra).
  split; [|exact E]. split.
  - apply Rmult_lt_reg_l with (D 1%nat); [assumption|]. rewrite E. nra.
  - apply Rmult_lt_reg_l with (D 1%nat); [assumption|]. rewrite E. nra.
Qed.

(** (0, 1/2) compared with (y, 1/2). *)
Theorem aspdiv_as_written_fails m alpha :
  weighs_one m -> decreasing (discount m) -> 0 < alpha < 1 -> drops (novelty m) alpha ->
  ~ AspDiv_as_written (score m).
Proof.
  intros Hw HD Ha Hnu H.
  destruct (little_range (discount m) alpha HD Ha) as [Hy Ey]. set (y := little (discount m) alpha) in *. clearbody y.
  specialize (H 1%nat (fun _ => 1) [] [fun _ => 1 / 2] (fun _ => 0) (fun _ => y) proper_one I).
  assert (Hc : forall v, 0 <= v < 1 -> contributes each_below_one 1 ([] ++ (fun _ => v) :: [fun _ => 1 / 2])).
  { intros v Hv t Ht r Hr. simpl in Hr. destruct Hr as [<-|[<-|[]]]; lra. }
  specialize (H (Hc 0 ltac:(lra)) (Hc y ltac:(lra)) ltac:(intros; lra)).
  change (single (score m) [y; 1 / 2] > single (score m) [0; 1 / 2]) in H.
  rewrite !single_score in H by exact Hw. simpl in H.
  rewrite (drop_zero _ _ Hnu), (drop_some _ _ Hnu y), (nu_first _ (drop_bounded _ _ Hnu)) in H by lra.
  pose proof (positive _ HD 1).
  assert (0 < alpha * discount m 2) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** (0, 1/2, y) compared with (y, 1/2, 0). *)
Theorem pri_as_written_fails m alpha :
  weighs_one m -> decreasing (discount m) -> 0 < alpha < 1 -> drops (novelty m) alpha ->
  ~ Pri_as_written (score m).
Proof.
  intros Hw HD Ha Hnu H.
  destruct (little_range (discount m) alpha HD Ha) as [Hy Ey]. set (y := little (discount m) alpha) in *. clearbody y.
  specialize (H [] [1 / 2] [] 0 y). simpl in H.
  assert (He : each_below_one [0; 1 / 2; y]) by (intros r [<-|[<-|[<-|[]]]]; lra).
  specialize (H He ltac:(lra)). rewrite !single_score in H by exact Hw. simpl in H.
  rewrite (drop_zero _ _ Hnu), (drop_some _ _ Hnu y), (nu_first _ (drop_bounded _ _ Hnu)) in H by lra.
  assert (Hin : forall r, In r [0; 1 / 2] -> 0 <= r <= 1) by (intros r [<-|[<-|[]]]; lra).
  pose proof (nu_range _ (drop_bounded _ _ Hnu) _ Hin).
  pose proof (positive _ HD 1). pose proof (positive _ HD 2).
  assert (0 < alpha * discount m 2) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= discount m 3 * (y * novelty m [0; 1 / 2])) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

(** ** Red *)

(** The column of an aspect in a binary ranking without overlap. *)
Lemma binary_product phi r u l :
  phi 0 = 1 -> product phi (column u (map (binary r) l)) = phi r ^ count u l.
Proof.
  intros Hzero. induction l as [|[t|] l IH]; [reflexivity| |]; cbn [map binary column product].
  - change (map (fun x => x u) (map (binary r) l)) with (column u (map (binary r) l)). rewrite IH.
    unfold about, count. cbn [filter]. rewrite Nat.eqb_sym. destruct (Nat.eqb t u); simpl; [reflexivity|].
    rewrite Hzero. lra.
  - change (map (fun x => x u) (map (binary r) l)) with (column u (map (binary r) l)). rewrite IH.
    unfold count. cbn [filter]. unfold nothing. rewrite Hzero. lra.
Qed.

Lemma binary_sum r u l : sum_list (column u (map (binary r) l)) = INR (count u l) * r.
Proof.
  induction l as [|[t|] l IH]; [simpl; lra| |]; cbn [map binary column sum_list].
  - change (map (fun x => x u) (map (binary r) l)) with (column u (map (binary r) l)). rewrite IH.
    unfold about, count. cbn [filter]. rewrite Nat.eqb_sym. destruct (Nat.eqb t u).
    + cbn [length]. rewrite S_INR. lra.
    + lra.
  - change (map (fun x => x u) (map (binary r) l)) with (column u (map (binary r) l)). rewrite IH.
    unfold count. cbn [filter]. unfold nothing. lra.
Qed.

Lemma pow_less q a b : 0 < q < 1 -> (a < b)%nat -> q ^ b < q ^ a.
Proof.
  intros Hq Hab. induction Hab as [|b Hab IH].
  - simpl. assert (0 < q ^ a) by (apply pow_lt; lra). nra.
  - simpl. assert (0 < q ^ b) by (apply pow_lt; lra). nra.
Qed.

(** What decides Red and MRed: the novelty of the two aspects. *)
Lemma append_compare m T w d t t' r :
  decreasing (discount m) -> (t < T)%nat -> (t' < T)%nat -> 0 < r ->
  0 < weigh m w t -> weigh m w t = weigh m w t' ->
  novelty m (column t d) < novelty m (column t' d) ->
  score m T w (d ++ [about t' r]) > score m T w (d ++ [about t r]).
Proof.
  intros HD Ht Ht' Hr Hw Hww Hnu. rewrite !score_append.
  rewrite (sum_about T (weigh m w) t r (fun u => novelty m (column u d)) Ht).
  rewrite (sum_about T (weigh m w) t' r (fun u => novelty m (column u d)) Ht').
  rewrite <- Hww. pose proof (positive _ HD (length d)).
  assert (0 < weigh m w t * r) by (apply Rmult_lt_0_compat; lra).
  assert (weigh m w t * r * novelty m (column t d) < weigh m w t * r * novelty m (column t' d))
    by (apply Rmult_lt_compat_l; lra).
  nra.
Qed.

Lemma append_tie m T w d t t' r :
  (t < T)%nat -> (t' < T)%nat -> weigh m w t = weigh m w t' ->
  novelty m (column t d) = novelty m (column t' d) ->
  score m T w (d ++ [about t' r]) = score m T w (d ++ [about t r]).
Proof.
  intros Ht Ht' Hww Hnu. rewrite !score_append.
  rewrite (sum_about T (weigh m w) t r (fun u => novelty m (column u d)) Ht).
  rewrite (sum_about T (weigh m w) t' r (fun u => novelty m (column u d)) Ht').
  rewrite Hww, Hnu. reflexivity.
Qed.

(** Balanced aspects weigh the same, given or not. *)
Definition weighs_evenly (m : sum) : Prop := forall T t t', weigh m (balanced T) t = weigh m (balanced T) t'.

Lemma given_weighs_evenly D nu e : weighs_evenly (Sum given D nu e).
Proof. intros T t t'. reflexivity. Qed.

Lemma uniform_weighs_evenly D nu e : weighs_evenly (Sum uniform D nu e).
Proof. intros T t t'. reflexivity. Qed.

(** Red, from the behaviour of novelty on binary columns. *)
Theorem red_when m (room : R -> nat -> list (option aspect) -> Prop) :
  weighs_all m -> weighs_evenly m -> decreasing (discount m) ->
  (forall T l t t' r, (t < T)%nat -> (t' < T)%nat -> 0 < r -> room r T l -> (count t l > count t' l)%nat ->
     novelty m (column t (map (binary r) l)) < novelty m (column t' (map (binary r) l))) ->
  Red_when room (score m).
Proof.
  intros Hw Heven HD Hnu T l t t' r Ht Ht' _ _ Hr Hroom Hc.
  apply append_compare; auto.
  - apply (Hw T); [apply proper_balanced; lia|exact Ht].
  - apply (Hnu T); assumption.
Qed.

Theorem red_product m phi (room : R -> nat -> list (option aspect) -> Prop) :
  weighs_all m -> weighs_evenly m -> decreasing (discount m) -> multiplies m phi -> phi 0 = 1 ->
  (forall r T l, 0 < r -> room r T l -> 0 < phi r < 1) ->
  Red_when room (score m).
Proof.
  intros Hw Heven HD Hm Hzero Hphi. apply red_when; auto.
  intros T l t t' r Ht Ht' Hr Hroom Hc. rewrite !Hm, !binary_product by exact Hzero.
  apply pow_less; [exact (Hphi r T l Hr Hroom)|lia].
Qed.

Theorem red_charitable_cascade m :
  weighs_all m -> weighs_evenly m -> decreasing (discount m) -> multiplies m phi_cascade ->
  Red_charitable (score m).
Proof.
  intros Hw Heven HD Hm. apply (red_product m phi_cascade); auto.
  - unfold phi_cascade. lra.
  - unfold phi_cascade. intros r T l Hr [Hr1 _]. lra.
Qed.

Theorem red_as_written_decay m alpha :
  0 < alpha < 1 -> weighs_all m -> weighs_evenly m -> decreasing (discount m) -> multiplies m (phi_decay alpha) ->
  Red_as_written (score m).
Proof.
  intros Ha Hw Heven HD Hm. apply (red_product m (phi_decay alpha)); auto.
  - apply phi_zero, decay_gentle. exact Ha.
  - intros r T l Hr _. unfold phi_decay. destruct (Rlt_dec 0 r); lra.
Qed.

(** The pair that violates Red without novelty: after a document about t, one more about t or one about t'. *)
Theorem red_fails_always m (room : R -> nat -> list (option aspect) -> Prop) :
  weighs_evenly m -> (forall l, novelty m l = always l) -> room (1 / 4) 2%nat [Some 0%nat] ->
  ~ Red_when room (score m).
Proof.
  intros Heven Hnu Hroom H.
  specialize (H 2%nat [Some 0%nat] 0%nat 1%nat (1 / 4) ltac:(lia) ltac:(lia) ltac:(lia)).
  assert (Hin : forall u, In (Some u) [Some 0%nat] -> (u < 2)%nat) by (intros u [E|[]]; inversion E; lia).
  specialize (H Hin ltac:(lra) Hroom ltac:(unfold count; simpl; lia)).
  rewrite (append_tie m 2 (balanced 2) (map (binary (1 / 4)) [Some 0%nat]) 0 1) in H; try lia; auto.
  - lra.
  - rewrite !Hnu. reflexivity.
Qed.

Lemma quarter_at_most_one : at_most_one (1 / 4) 2 [Some 0%nat].
Proof. unfold at_most_one. lra. Qed.

Lemma quarter_unsaturated : unsaturated (1 / 4) 2 [Some 0%nat].
Proof.
  split; [lra|]. intros u Hu. destruct u as [|[|u]]; [| |lia]; unfold count; simpl; lra.
Qed.

(** The pair that violates Red as written: two documents about t and one about t', all fully relevant. Both aspects are
    exhausted, so that one more document about either is worth nothing. *)
Definition exhausted : list (option aspect) := [Some 0%nat; Some 0%nat; Some 1%nat].

Theorem red_as_written_fails m :
  weighs_evenly m -> (forall l, In 1 l -> (forall r, In r l -> 0 <= r) -> novelty m l = 0) ->
  ~ Red_as_written (score m).
Proof.
  intros Heven Hnu H.
  specialize (H 2%nat exhausted 0%nat 1%nat 1 ltac:(lia) ltac:(lia) ltac:(lia)).
  assert (Hin : forall u, In (Some u) exhausted -> (u < 2)%nat).
  { intros u [E|[E|[E|[]]]]; inversion E; lia. }
  specialize (H Hin ltac:(lra) ltac:(unfold at_most_one; lra) ltac:(unfold count; simpl; lia)).
  rewrite (append_tie m 2 (balanced 2) (map (binary 1) exhausted) 0 1) in H; try lia; auto.
  - lra.
  - assert (Hcol : forall t, (t < 2)%nat -> novelty m (column t (map (binary 1) exhausted)) = 0).
    { intros [|[|t]] Ht; [| |lia]; apply Hnu; simpl; unfold about; simpl; try tauto;
        intros r [<-|[<-|[<-|[]]]]; lra. }
    rewrite !Hcol by lia. reflexivity.
Qed.

Lemma cascade_exhausted l : In 1 l -> cascade l = 0.
Proof.
  induction l as [|r l IH]; [intros []|]. intros [->|H]; simpl; [lra|]. rewrite IH by exact H. lra.
Qed.

Lemma cube_exhausted alpha l : In 1 l -> (forall r, In r l -> 0 <= r) -> cube alpha 1 l = 0.
Proof.
  intros H Hn. unfold cube. destruct (Rlt_dec (sum_list l) 1) as [Hs|_]; [|reflexivity].
  pose proof (in_le_sum_list l 1 Hn H). lra.
Qed.

(** ** MRed *)

Lemma cascade_less (d : ranking) :
  d <> [] -> (forall x, In x d -> 0 <= x 1%nat /\ x 0%nat < 1 /\ x 1%nat < x 0%nat) ->
  0 < cascade (column 0%nat d) < cascade (column 1%nat d).
Proof.
  induction d as [|x d IH]; [congruence|]. intros _ H.
  destruct (H x (or_introl eq_refl)) as [H1 [H2 H3]].
  destruct d as [|z d]; [simpl; lra|].
  assert (IHd : 0 < cascade (column 0%nat (z :: d)) < cascade (column 1%nat (z :: d))).
  { apply IH; [discriminate|]. intros; apply H; right; assumption. }
  change (cascade (column 0%nat (x :: z :: d))) with ((1 - x 0%nat) * cascade (column 0%nat (z :: d))).
  change (cascade (column 1%nat (x :: z :: d))) with ((1 - x 1%nat) * cascade (column 1%nat (z :: d))).
  split; [apply Rmult_lt_0_compat; lra|]. apply Rmult_le_0_lt_compat; lra.
Qed.

Theorem mred_as_written_cascade m :
  weighs_all m -> weighs_evenly m -> decreasing (discount m) -> (forall l, novelty m l = cascade l) ->
  MRed_as_written (score m).
Proof.
  intros Hw Heven HD Hnu d r Hd Hr Hc1 Hc0 Hmore.
  apply append_compare; auto; try lia.
  - apply (Hw 2%nat); [apply proper_balanced; lia|lia].
  - rewrite !Hnu. apply cascade_less; [exact Hd|]. intros x Hx.
    assert (Hcol : forall t, (t < 2)%nat -> 0 <= x t < 1).
    { intros t Ht. apply (Hc1 t Ht). rewrite column_app. apply in_or_app. left.
      unfold column. apply (in_map (fun z : document => z t)). exact Hx. }
    pose proof (Hcol 0%nat ltac:(lia)). pose proof (Hcol 1%nat ltac:(lia)). pose proof (Hmore x Hx). lra.
Qed.

(** The pair that violates MRed if novelty counts documents or is constant: one document before, 1/4 about t and 1/8 about
    t'. *)
Definition more_about_t : document := fun u => if Nat.eqb u 0 then 1 / 4 else 1 / 8.

Theorem mred_fails m (small : contribution) :
  weighs_evenly m -> novelty m [1 / 4] = novelty m [1 / 8] ->
  small [1 / 4; 0] -> small [1 / 4; 1 / 8] -> small [1 / 8; 0] -> small [1 / 8; 1 / 8] ->
  ~ MRed_when small (score m).
Proof.
  intros Heven Hnu H1 H2 H3 H4 H.
  specialize (H [more_about_t] (1 / 8) ltac:(discriminate) ltac:(lra)).
  assert (Hc1 : contributes small 2 ([more_about_t] ++ [about 1%nat (1 / 8)])).
  { intros [|[|t]] Ht; [exact H1|exact H4|lia]. }
  assert (Hc0 : contributes small 2 ([more_about_t] ++ [about 0%nat (1 / 8)])).
  { intros [|[|t]] Ht; [exact H2|exact H3|lia]. }
  assert (Hmore : forall x, In x [more_about_t] -> x 0%nat > x 1%nat).
  { intros x [<-|[]]. unfold more_about_t. simpl. lra. }
  specialize (H Hc1 Hc0 Hmore).
  rewrite (append_tie m 2 (balanced 2) [more_about_t] 0 1) in H; try lia; auto. lra.
Qed.

Ltac small_pair := split; [intros r [<-|[<-|[]]]; lra|simpl; lra].

Theorem mred_as_written_fails m :
  weighs_evenly m -> novelty m [1 / 4] = novelty m [1 / 8] -> ~ MRed_as_written (score m).
Proof.
  intros Heven Hnu. apply mred_fails; auto; intros r [<-|[<-|[]]]; lra.
Qed.

Theorem mred_charitable_fails m :
  weighs_evenly m -> novelty m [1 / 4] = novelty m [1 / 8] -> ~ MRed_charitable (score m).
Proof. intros Heven Hnu. apply mred_fails; auto; small_pair. Qed.

(** ** Sat *)

(** The document appended after [about t r_max] gains w(t) r nu - e. *)
Lemma sat_gain m T w d t r_max r :
  (t < T)%nat ->
  score m T w ((d ++ [about t r_max]) ++ [about t r]) =
  score m T w (d ++ [about t r_max])
  + discount m (S (length (d ++ [about t r_max])))
    * (weigh m w t * r * novelty m (column t d ++ [r_max]) - effort m).
Proof.
  intros Ht. rewrite (score_append m T w (d ++ [about t r_max])).
  rewrite (sum_about T (weigh m w) t r (fun u => novelty m (column u (d ++ [about t r_max]))) Ht).
  rewrite column_app. cbn [column map]. unfold about at 3. rewrite Nat.eqb_refl. reflexivity.
Qed.

Lemma no_overlap_nonneg T allowed d t : no_overlap T allowed d -> forall r, In r (column t d) -> 0 <= r <= 1.
Proof.
  intros H r Hr. unfold column in Hr. apply in_map_iff in Hr as [x [<- Hx]].
  destruct (H x Hx) as [|u v Hu _ Hv]; [unfold nothing; lra|].
  unfold about. destruct (Nat.eqb t u); lra.
Qed.

Theorem saturates m r_max :
  decreasing (discount m) -> 0 <= effort m ->
  (forall T w t l r, proper T w -> (t < T)%nat -> (forall x, In x l -> 0 <= x <= 1) -> 0 < r <= 1 ->
     weigh m w t * r * novelty m (l ++ [r_max]) <= effort m) ->
  saturates_at (score m) r_max.
Proof.
  intros HD He Hgain T w d t r Hp Ht Hd Hr. rewrite sat_gain by exact Ht.
  pose proof (positive _ HD (length (d ++ [about t r_max]))).
  specialize (Hgain T w t (column t d) r Hp Ht (no_overlap_nonneg T any_aspect d t Hd) Hr). nra.
Qed.

(** Novelty that is used up by a fully relevant document. *)
Theorem sat_charitable m :
  decreasing (discount m) -> 0 <= effort m ->
  (forall l, In 1 l -> (forall r, In r l -> 0 <= r) -> novelty m l = 0) ->
  Sat_charitable (score m).
Proof.
  intros HD He Hnu. apply saturates; auto. intros T w t l r _ _ Hl Hr.
  rewrite Hnu; [lra|apply in_or_app; right; left; reflexivity|].
  intros x Hx. apply in_app_or in Hx as [Hx|[<-|[]]]; [apply Hl; exact Hx|lra].
Qed.

(** A fully relevant document after one of relevance r_max. *)
Theorem saturates_at_fails m r_max :
  weighs_one m -> decreasing (discount m) -> effort m < novelty m [r_max] -> ~ saturates_at (score m) r_max.
Proof.
  intros Hw HD Hgain H.
  specialize (H 1%nat (fun _ => 1) [] 0%nat 1 proper_one ltac:(lia)).
  assert (Hno : no_overlap 1 any_aspect []) by (intros x []).
  specialize (H Hno ltac:(lra)). rewrite sat_gain in H by lia. rewrite Hw in H. simpl in H.
  pose proof (positive _ HD 1). nra.
Qed.

Theorem sat_as_written_fails m :
  weighs_one m -> decreasing (discount m) -> (forall r, 0 <= r <= 1 -> effort m < novelty m [r]) ->
  ~ Sat_as_written (score m).
Proof. intros Hw HD H [r_max [Hr Hsat]]. apply (saturates_at_fails m r_max); auto. apply H. lra. Qed.

(** ** AspRel *)

(** How a document about aspect a at rank i + 1 enters the score, when its aspect's column is worth D(i + 1) r more. *)
Lemma score_replace m T w A B a r :
  (a < T)%nat ->
  value (discount m) (novelty m) [] (column a A ++ r :: column a B)
  = value (discount m) (novelty m) [] (column a A ++ 0 :: column a B) + discount m (S (length A)) * r ->
  score m T w (A ++ about a r :: B)
  = score m T w (A ++ nothing :: B) + weigh m w a * r * discount m (S (length A)).
Proof.
  intros Ha Hval. rewrite !score_columns.
  replace (length (A ++ about a r :: B)) with (length (A ++ nothing :: B)) by (rewrite !app_length; reflexivity).
  rewrite <- (sum_about T (weigh m w) a r (fun _ => discount m (S (length A))) Ha).
  rewrite (sum_to_ext T _ (fun t => weigh m w t * value (discount m) (novelty m) [] (column t (A ++ nothing :: B))
                                    + weigh m w t * about a r t * discount m (S (length A)))).
  - rewrite sum_to_plus. lra.
  - intros t _. rewrite !column_app. cbn [column map]. fold (column t B).
    change (map (fun x => x t) B) with (column t B). unfold about, nothing.
    destruct (Nat.eqb t a) eqn:E; [|lra].
    apply Nat.eqb_eq in E. subst t. rewrite Hval. lra.
Qed.

Definition ignores_zeros (nu : list R -> R) : Prop := forall n, nu (repeat 0 n) = 1.

Lemma column_of_others T allowed d a :
  no_overlap T allowed d -> (forall u, allowed u -> u <> a) -> column a d = repeat 0 (length d).
Proof.
  intros H Hne. induction d as [|x d IH]; [reflexivity|].
  cbn [column map length repeat]. f_equal.
  - destruct (H x (or_introl eq_refl)) as [|u v _ Hu _]; [reflexivity|].
    unfold about. destruct (Nat.eqb a u) eqn:E; [|reflexivity].
    apply Nat.eqb_eq in E. subst. exfalso. exact (Hne u Hu eq_refl).
  - apply IH. intros z Hz. apply H. right. exact Hz.
Qed.

Lemma value_alone m A n r :
  ignores_zeros (novelty m) ->
  value (discount m) (novelty m) [] (repeat 0 A ++ r :: repeat 0 n) = discount m (S A) * r.
Proof.
  intros Hnu. rewrite value_app, value_zeros. cbn [value app]. rewrite value_zeros, repeat_length, Hnu. lra.
Qed.

Theorem asprel_charitable D nu e :
  decreasing D -> ignores_zeros nu -> AspRel_charitable (score (Sum given D nu e)).
Proof.
  intros HD Hnu T w A B t t' r Hp Ht Ht' Hr Hww HA HB. set (m := Sum given D nu e).
  assert (Hcol : forall a, (a < T)%nat -> a = t \/ a = t' ->
    score m T w (A ++ about a r :: B) = score m T w (A ++ nothing :: B) + w a * r * D (S (length A))).
  { intros a HaT Ha. apply (score_replace m T w A B a r HaT).
    rewrite (column_of_others T _ A a HA) by (intros u Hu; destruct Ha; subst; tauto).
    rewrite (column_of_others T _ B a HB) by (intros u Hu; destruct Ha; subst; tauto).
    rewrite !(value_alone m) by exact Hnu. simpl. lra. }
  rewrite (Hcol t) by tauto. rewrite (Hcol t') by tauto.
  pose proof (positive _ HD (length A)).
  assert (0 < (w t' - w t) * r * D (S (length A))) by (repeat apply Rmult_lt_0_compat; lra). lra.
Qed.

(** Without novelty t and t' may occur anywhere. *)
Theorem asprel_as_written_always D e : decreasing D -> AspRel_as_written (score (Sum given D always e)).
Proof.
  intros HD T w A B t t' r Hp Ht Ht' Hr Hww HA HB. set (m := Sum given D always e).
  assert (Hcol : forall a, (a < T)%nat ->
    score m T w (A ++ about a r :: B) = score m T w (A ++ nothing :: B) + w a * r * D (S (length A))).
  { intros a HaT. apply (score_replace m T w A B a r HaT).
    rewrite !(value_by_product _ phi_always) by (intros; apply always_product).
    cbn [product length]. rewrite !fresh_app. cbn [fresh]. rewrite column_length. simpl discount.
    rewrite <- !always_product. unfold always, phi_always. simpl Nat.add. lra. }
  rewrite (Hcol t), (Hcol t') by assumption.
  pose proof (positive _ HD (length A)).
  assert (0 < (w t' - w t) * r * D (S (length A))) by (repeat apply Rmult_lt_0_compat; lra). lra.
Qed.

(** A metric that ignores the weights. *)
Theorem asprel_fails_uniform D nu e behind :
  ~ AspRel_when behind (score (Sum uniform D nu e)).
Proof.
  intros H.
  pose proof (proper_two (1 / 4) (3 / 4) ltac:(lra) ltac:(lra) ltac:(lra)) as Hp.
  assert (Hno : forall allowed, no_overlap 2 allowed []) by (intros allowed x []).
  specialize (H 2%nat _ [] [] 0%nat 1%nat (1 / 2) Hp ltac:(lia) ltac:(lia) ltac:(lra)).
  specialize (H ltac:(simpl; lra) (Hno _) (Hno _)).
  unfold score, gain in H. simpl in H. unfold uniform, about, at_rank in H. simpl in H. lra.
Qed.

(** As written the heavier aspect may occur again below: (t', t') compared with (t, t'), with nearly equal weights. *)
Theorem asprel_as_written_fails D nu e lambda :
  decreasing D -> bounded nu -> nu [0] = 1 -> 0 < lambda <= 1 -> nu [1 / 2] = 1 - lambda ->
  ~ AspRel_as_written (score (Sum given D nu e)).
Proof.
  intros HD Hnu Hzero Hl Hhalf H.
  pose proof (positive _ HD 0) as H1. pose proof (positive _ HD 1) as H2. pose proof (falls _ HD 0) as H12.
  set (delta := lambda * D 2%nat / (4 * D 1%nat)).
  assert (Ed : D 1%nat * delta = lambda * D 2%nat / 4) by (unfold delta; field; lra).
  assert (Hd : 0 < delta < 1 / 2).
  { split; apply Rmult_lt_reg_l with (D 1%nat); try assumption; rewrite Ed; nra. }
  pose proof (proper_two (1 / 2 - delta) (1 / 2 + delta) ltac:(lra) ltac:(lra) ltac:(lra)) as Hp.
  specialize (H 2%nat _ [] [about 1%nat 1] 0%nat 1%nat (1 / 2) Hp ltac:(lia) ltac:(lia) ltac:(lra)).
  specialize (H ltac:(simpl; lra)).
  assert (HA : no_overlap 2 (fun u => u <> 0%nat /\ u <> 1%nat) []) by (intros x []).
  assert (HB : no_overlap 2 (fun _ => True) [about 1%nat 1]).
  { intros x [<-|[]]. constructor; [lia|exact I|lra]. }
  specialize (H HA HB). unfold Rgt in H. rewrite !score_columns in H. cbn in H.
  rewrite Hzero, Hhalf, (nu_first _ Hnu) in H.
  assert (0 < lambda * D 2%nat) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= delta * (lambda * D 2%nat)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma always_ignores_zeros : ignores_zeros always.
Proof. intros n. reflexivity. Qed.

Lemma cascade_ignores_zeros : ignores_zeros cascade.
Proof. intros n. induction n as [|n IH]; simpl; [reflexivity|rewrite IH; lra]. Qed.

Lemma decay_ignores_zeros alpha : 0 < alpha < 1 -> ignores_zeros (decay alpha).
Proof.
  intros Ha n. rewrite decay_product, product_repeat, (phi_zero _ (decay_gentle alpha Ha)). apply pow1.
Qed.

Lemma cube_ignores_zeros alpha : 0 < alpha < 1 -> ignores_zeros (cube alpha 1).
Proof.
  intros Ha n. rewrite cube_decay; [apply decay_ignores_zeros; exact Ha|].
  assert (sum_list (repeat 0 n) = 0) as ->; [|lra]. induction n; simpl; lra.
Qed.
