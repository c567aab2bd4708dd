(** Axioms that exclude each other: four theorems about all metrics of a form, with their corollaries.

    A. Without novelty, if S(n) = D(n+1) + ... + D(2n) is monotone, DeepTh and CloseTh (charitable) exclude each other.
    B. In weighted sums Sat (charitable) says that the effort is at least the novelty after a fully relevant document;
       without effort, Sat and Red as written exclude each other.
    C. If novelty counts relevant documents, Red and Pri as written exclude each other, whatever the discount.
    D. For any metric: Conf, continuity in relevance, and Moffat's monotonicity exclude each other.
    E. If novelty counts relevant documents or there is none, Sat and CloseTh as written exclude each other: the effort
       that Sat needs is more than m documents behind m others can make up for. *)

From Coq Require Import Reals List Lia Lra.
From DivEval Require Import Definitions Constraints Algebra Discounts Relevance Thresholds Diversity.
Import ListNotations.
Open Scope R_scope.

(** ** A. DeepTh and CloseTh without novelty *)

(** S(n): what ranks n + 1 to 2n count together. *)
Definition second_half (D : nat -> R) (n : nat) : R := sum_to n (fun j => D (S (n + j))).

Definition rises (f : nat -> R) : Prop := forall n, (1 <= n)%nat -> f n <= f (S n).
Definition sinks (f : nat -> R) : Prop := forall n, (1 <= n)%nat -> f (S n) <= f n.

Lemma rises_le f : rises f -> forall m n, (1 <= m)%nat -> (m <= n)%nat -> f m <= f n.
Proof. intros H m n Hm Hmn. induction Hmn as [|n Hmn IH]; [lra|]. pose proof (H n ltac:(lia)). lra. Qed.

Lemma sinks_le f : sinks f -> forall n, (1 <= n)%nat -> f n <= f 1%nat.
Proof. intros H n Hn. induction Hn as [|n Hn IH]; [lra|]. pose proof (H n Hn). lra. Qed.

(** Without novelty the long ranking scores r S(n), less the effort that the padded one pays too. *)
Lemma behind_without_novelty share D e r n :
  weighs_one (Sum share D always e) ->
  single (score (Sum share D always e)) (n_behind_n r n) =
  r * second_half D n - spent (Sum share D always e) (2 * n).
Proof.
  intros Hw. rewrite (behind_score_product (Sum share D always e) phi_always) by
    (exact Hw || exact always_product || reflexivity).
  f_equal. f_equal. apply sum_to_ext. intros j _. unfold phi_always. rewrite pow1. cbn [discount]. lra.
Qed.

Theorem deepth_closeth_exclusive share D e :
  weighs_one (Sum share D always e) -> decreasing D -> rises (second_half D) \/ sinks (second_half D) ->
  ~ (DeepTh_charitable (score (Sum share D always e)) /\ CloseTh_charitable (score (Sum share D always e))).
Proof.
  intros Hw HD Hmono [Hdeep Hclose].
  destruct Hclose as [m [eps [Hm [Heps Hclose]]]].
  set (r := Rmin (eps / 2) (1 / 2)).
  assert (Hr : 0 < r < eps /\ r < 1).
  { unfold r. pose proof (Rmin_l (eps / 2) (1 / 2)). pose proof (Rmin_r (eps / 2) (1 / 2)).
    assert (0 < Rmin (eps / 2) (1 / 2)) by (apply Rmin_glb_lt; lra). lra. }
  specialize (Hclose r ltac:(lra)).
  rewrite padded_score in Hclose by (exact Hw || exact always_bounded || exact Hm).
  rewrite behind_without_novelty in Hclose by exact Hw. cbn [discount] in Hclose.
  assert (Hgain : D 1%nat < second_half D m) by (apply Rmult_lt_reg_l with r; lra).
  destruct Hmono as [Hup|Hdown].
  - destruct (Hdeep r ltac:(lra)) as [N HN].
    set (n := Nat.max m N). specialize (HN n ltac:(lia) ltac:(lia)).
    rewrite padded_score in HN by (exact Hw || exact always_bounded || lia).
    rewrite behind_without_novelty in HN by exact Hw. cbn [discount] in HN.
    assert (second_half D n < D 1%nat) by (apply Rmult_lt_reg_l with r; lra).
    pose proof (rises_le _ Hup m n Hm ltac:(lia)). lra.
  - pose proof (sinks_le _ Hdown m Hm) as Hle.
    assert (E : second_half D 1 = D 2%nat) by (unfold second_half; simpl; lra).
    pose proof (falls _ HD 0). lra.
Qed.

(** S(n) = P(2n) - P(n), where P(n) = D(1) + ... + D(n). *)
Lemma second_half_prefix D n :
  second_half D n = sum_to (2 * n) (fun j => D (S j)) - sum_to n (fun j => D (S j)).
Proof.
  replace (2 * n)%nat with (n + n)%nat by lia. rewrite (sum_to_add n n (fun j => D (S j))). unfold second_half. lra.
Qed.

Lemma second_half_step D n :
  second_half D (S n) = second_half D n + D (S (2 * n)) + D (S (S (2 * n))) - D (S n).
Proof.
  rewrite !second_half_prefix. replace (2 * S n)%nat with (S (S (2 * n))) by lia. cbn [sum_to]. lra.
Qed.

(** 1/i: 1/(2n+1) + 1/(2n+2) > 1/(n+1), so that S rises (to ln 2 < 1): DeepTh holds, CloseTh cannot. *)
Lemma reciprocal_rises : rises (second_half reciprocal).
Proof.
  intros n Hn. rewrite second_half_step. unfold reciprocal.
  rewrite !S_INR, mult_INR. simpl INR. assert (1 <= INR n) by (apply (le_INR 1); exact Hn).
  assert (H1 : / ((1 + 1) * INR n + 1 + 1) < / ((1 + 1) * INR n + 1)) by (apply Rinv_lt_contravar; nra).
  assert (H2 : / (INR n + 1) = / ((1 + 1) * INR n + 1 + 1) + / ((1 + 1) * INR n + 1 + 1)) by (field; lra).
  lra.
Qed.

(** 1/log2(i+1): log(2n+2) and log(2n+3) are at most 2 log(n+2), so that S rises (without bound). *)
Lemma logarithmic_rises : rises (second_half logarithmic).
Proof.
  intros n Hn. rewrite second_half_step. unfold logarithmic, log2.
  rewrite !S_INR, mult_INR. simpl INR. assert (H1 : 1 <= INR n) by (apply (le_INR 1); exact Hn).
  set (x := INR n) in *. assert (H2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hx : 0 < ln (x + 1 + 1)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Half : forall y, 1 < y <= (x + 1 + 1) * (x + 1 + 1) -> / (ln (x + 1 + 1) / ln 2) <= 2 * / (ln y / ln 2)).
  { intros y [Hy1 Hy2]. assert (Hly : 0 < ln y) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (Hle : ln y <= 2 * ln (x + 1 + 1)).
    { replace (2 * ln (x + 1 + 1)) with (ln ((x + 1 + 1) * (x + 1 + 1))) by (rewrite ln_mult by lra; lra).
      destruct (Rle_lt_or_eq_dec _ _ Hy2) as [H|H]; [apply Rlt_le, ln_increasing; lra|rewrite H; lra]. }
    replace (/ (ln (x + 1 + 1) / ln 2)) with (ln 2 * / ln (x + 1 + 1)) by (field; lra).
    replace (2 * / (ln y / ln 2)) with (ln 2 * (2 * / ln y)) by (field; lra).
    apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_l with (ln (x + 1 + 1) * ln y); [apply Rmult_lt_0_compat; lra|].
    replace (ln (x + 1 + 1) * ln y * / ln (x + 1 + 1)) with (ln y) by (field; lra).
    replace (ln (x + 1 + 1) * ln y * (2 * / ln y)) with (2 * ln (x + 1 + 1)) by (field; lra). exact Hle. }
  pose proof (Half ((1 + 1) * x + 1 + 1) ltac:(nra)). pose proof (Half ((1 + 1) * x + 1 + 1 + 1) ltac:(nra)).
  lra.
Qed.

(** Therefore no metric with one of these discounts and without novelty satisfies both, whatever its weights and effort. *)
Theorem reciprocal_exclusive share e :
  weighs_one (Sum share reciprocal always e) ->
  ~ (DeepTh_charitable (score (Sum share reciprocal always e)) /\
     CloseTh_charitable (score (Sum share reciprocal always e))).
Proof.
  intros Hw. apply deepth_closeth_exclusive; [exact Hw|exact reciprocal_decreasing|left; exact reciprocal_rises].
Qed.

Theorem logarithmic_exclusive share e :
  weighs_one (Sum share logarithmic always e) ->
  ~ (DeepTh_charitable (score (Sum share logarithmic always e)) /\
     CloseTh_charitable (score (Sum share logarithmic always e))).
Proof.
  intros Hw. apply deepth_closeth_exclusive; [exact Hw|exact logarithmic_decreasing|left; exact logarithmic_rises].
Qed.

(** p^i escapes: S(1) = p^2 < p, S(2) = p^3 + p^4 exceeds p for large p, and S then vanishes. *)
Theorem geometric_not_monotone :
  let S := second_half (geometric (9 / 10)) in S 1%nat < S 2%nat /\ S 10%nat < S 9%nat.
Proof. unfold second_half, geometric. simpl. lra. Qed.

(** ** B. Sat is a condition on effort *)

(** The novelty does not grow behind a document. *)
Definition never_grows (nu : list R -> R) : Prop :=
  forall l r, (forall x, In x l -> 0 <= x <= 1) -> 0 <= r <= 1 -> 0 <= nu (l ++ [r]) <= nu l.

Definition in_unit (l : list R) : Prop := forall r, In r l -> 0 <= r <= 1.

Lemma column_in_unit T d t : no_overlap T any_aspect d -> in_unit (column t d).
Proof.
  intros H r Hr. apply in_map_iff in Hr as [x [<- Hx]].
  destruct (H x Hx) as [|u s Hu _ Hs]; unfold nothing, about; [lra|]. destruct (Nat.eqb t u); lra.
Qed.

Lemma about_self t r : about t r t = r.
Proof. unfold about. rewrite Nat.eqb_refl. reflexivity. Qed.

Theorem sat_iff_effort D nu e :
  decreasing D -> (forall l, in_unit l -> 0 <= nu l) ->
  (Sat_charitable (score (Sum given D nu e)) <-> forall l, in_unit l -> nu (l ++ [1]) <= e).
Proof.
  intros HD Hnu. set (m := Sum given D nu e). split.
  - intros H l Hl.
    set (d := map (fun r => about 0%nat r) l).
    assert (Hcol : column 0%nat (d ++ [about 0%nat 1]) = l ++ [1]).
    { rewrite column_app. f_equal. unfold d, column. rewrite map_map.
      rewrite (map_ext _ (fun r => r)); [apply map_id|]. intros r. apply about_self. }
    assert (Hd : no_overlap 1 any_aspect d).
    { intros x Hx. apply in_map_iff in Hx as [r [<- Hr]]. constructor; [lia|exact I|exact (Hl r Hr)]. }
    assert (Hw : proper 1 (fun _ => 1)) by (split; [intros; lra|simpl; lra]).
    specialize (H 1%nat (fun _ => 1) d 0%nat 1 Hw ltac:(lia) Hd ltac:(lra)).
    unfold m in H. rewrite (score_append m 1 _ (d ++ [about 0%nat 1])) in H. fold m in H.
    rewrite (sum_about 1 (weigh m (fun _ => 1)) 0 1 (fun t => novelty m (column t (d ++ [about 0%nat 1])))) in H by lia.
    rewrite Hcol in H. cbn [weigh novelty effort discount m] in H. unfold given in H.
    pose proof (positive _ HD (length (d ++ [about 0%nat 1]))) as Hpos.
    apply Rnot_lt_le. intros Hlt.
    assert (0 < D (S (length (d ++ [about 0%nat 1]))) * (1 * 1 * nu (l ++ [1]) - e)) by (apply Rmult_lt_0_compat; lra).
    lra.
  - intros H T w d t r Hw Ht Hd Hr. fold m. rewrite (score_append m T w (d ++ [about t 1])).
    rewrite (sum_about T (weigh m w) t r (fun u => novelty m (column u (d ++ [about t 1])))) by exact Ht.
    rewrite column_app. cbn [column map]. rewrite about_self.
    cbn [weigh novelty effort discount m]. unfold given.
    pose proof (column_in_unit T d t Hd) as Hc. specialize (H _ Hc).
    assert (Hnext : 0 <= nu (column t d ++ [1])).
    { apply Hnu. intros x Hx. apply in_app_or in Hx as [Hx|[<-|[]]]; [exact (Hc x Hx)|lra]. }
    assert (Hwt : 0 < w t <= 1).
    { destruct Hw as [Hpos Hsum]. split; [exact (Hpos t Ht)|]. rewrite <- Hsum. clear - Hpos Ht.
      induction T as [|T IH]; [lia|]. cbn [sum_to].
      assert (Hz : 0 <= sum_to T w).
      { rewrite <- (sum_to_zero T (fun _ => 0)) by reflexivity. apply sum_to_le.
        intros i Hi. apply Rlt_le, Hpos. lia. }
      pose proof (Hpos T ltac:(lia)).
      destruct (Nat.eq_dec t T) as [->|Hne]; [lra|].
      assert (w t <= sum_to T w) by (apply IH; [intros; apply Hpos; lia|lia]). lra. }
    assert (0 <= w t * r) by (apply Rmult_le_pos; lra).
    assert (w t * r <= 1 * 1) by (apply Rmult_le_compat; lra).
    assert (Hle : w t * r * nu (column t d ++ [1]) <= 1 * e) by (apply Rle_trans with (1 * nu (column t d ++ [1])); [apply Rmult_le_compat_r; lra|lra]).
    pose proof (positive _ HD (length (d ++ [about t 1]))).
    assert (D (S (length (d ++ [about t 1]))) * (w t * r * nu (column t d ++ [1]) - e) <= 0) by nra.
    lra.
Qed.

(** Where novelty never grows and is the same behind any number of full documents, one full document decides. *)
Corollary sat_iff_one_document D nu e :
  decreasing D -> (forall l, in_unit l -> 0 <= nu l) ->
  (forall l, in_unit l -> nu (l ++ [1]) <= nu [1]) ->
  (Sat_charitable (score (Sum given D nu e)) <-> nu [1] <= e).
Proof.
  intros HD Hnu Hmost. rewrite sat_iff_effort by assumption. split.
  - intros H. apply (H []). intros r [].
  - intros H l Hl. specialize (Hmost l Hl). lra.
Qed.

(** (1 - alpha)^c: alpha + e >= 1, which is the region of EU. *)
Corollary sat_decay D alpha e :
  decreasing D -> 0 <= alpha <= 1 ->
  (Sat_charitable (score (Sum given D (decay alpha) e)) <-> 1 <= alpha + e).
Proof.
  intros HD Ha.
  assert (Hpow : forall n, 0 <= (1 - alpha) ^ n <= 1).
  { intros n. pose proof (pow_incr (1 - alpha) 1 n ltac:(lra)) as H. rewrite pow1 in H.
    split; [apply pow_le; lra|exact H]. }
  assert (Hcount : forall l, count_relevant (l ++ [1]) = S (count_relevant l)).
  { induction l as [|x l IH]; simpl; [destruct (Rlt_dec 0 1); [reflexivity|lra]|].
    rewrite IH. destruct (Rlt_dec 0 x); reflexivity. }
  rewrite sat_iff_one_document; [|exact HD|intros l _; apply Hpow|].
  - unfold decay. change [1] with ([] ++ [1]). rewrite Hcount. simpl. lra.
  - intros l _. unfold decay. change [1] with ([] ++ [1]) at 2. rewrite !Hcount. simpl.
    pose proof (Hpow (count_relevant l)). nra.
Qed.

(** Without effort nothing may be left after a full document: two of one aspect and one of another tie. *)
Theorem sat_red_exclusive D nu :
  decreasing D -> (forall l, in_unit l -> 0 <= nu l) -> never_grows nu ->
  ~ (Sat_charitable (score (Sum given D nu 0)) /\ Red_as_written (score (Sum given D nu 0))).
Proof.
  intros HD Hnu Hgrows [Hsat Hred]. set (m := Sum given D nu 0).
  pose proof (proj1 (sat_iff_effort D nu 0 HD Hnu) Hsat) as Hzero. clear Hsat.
  set (l := [Some 1%nat; Some 0%nat; Some 0%nat]).
  assert (Hin : forall u, In (Some u) l -> (u < 2)%nat) by (intros u [E|[E|[E|[]]]]; inversion E; lia).
  specialize (Hred 2%nat l 0%nat 1%nat 1 ltac:(lia) ltac:(lia) ltac:(lia) Hin ltac:(lra)
                ltac:(unfold at_most_one; lra) ltac:(unfold count, l; simpl; lia)).
  fold m in Hred. assert (E : score m 2%nat (balanced 2) (map (binary 1) l ++ [about 1%nat 1]) =
                              score m 2%nat (balanced 2) (map (binary 1) l ++ [about 0%nat 1])).
  { apply append_tie; [lia|lia|reflexivity|]. cbn [novelty m].
    assert (C0 : column 0%nat (map (binary 1) l) = [0; 1] ++ [1]) by (unfold column, about, l; simpl; reflexivity).
    assert (C1 : column 1%nat (map (binary 1) l) = (([] ++ [1]) ++ [0]) ++ [0]) by (unfold column, about, l; simpl; reflexivity).
    rewrite C0, C1.
    assert (U : forall k, In k [[]; [0; 1]; [] ++ [1]; ([] ++ [1]) ++ [0]] -> in_unit k).
    { intros k Hk r Hr. simpl in Hk. destruct Hk as [<-|[<-|[<-|[<-|[]]]]]; simpl in Hr; intuition lra. }
    pose proof (Hzero [0; 1] (U [0; 1] ltac:(simpl; tauto))) as Z0.
    pose proof (Hgrows [0; 1] 1 (U [0; 1] ltac:(simpl; tauto)) ltac:(lra)) as P0.
    pose proof (Hzero [] (U [] ltac:(simpl; tauto))) as Z1.
    pose proof (Hgrows ([] ++ [1]) 0 (U ([] ++ [1]) ltac:(simpl; tauto)) ltac:(lra)) as G1.
    pose proof (Hgrows (([] ++ [1]) ++ [0]) 0 (U (([] ++ [1]) ++ [0]) ltac:(simpl; tauto)) ltac:(lra)) as G2. lra. }
  rewrite E in Hred. lra.
Qed.

(** ** C. Novelty that counts *)

(** g(c), c being the number of relevant documents above. *)
Definition by_count (g : nat -> R) (l : list R) : R := g (count_relevant l).

Lemma red_makes_counts_fall share D g e :
  decreasing D -> weighs_evenly (Sum share D (by_count g) e) -> 0 < share (balanced 2) 0%nat ->
  Red_charitable (score (Sum share D (by_count g) e)) -> g 1%nat < g 0%nat.
Proof.
  intros HD Heven Hpos Hred. set (m := Sum share D (by_count g) e).
  assert (Hin : forall u, In (Some u) [Some 0%nat] -> (u < 2)%nat) by (intros u [E|[]]; inversion E; lia).
  specialize (Hred 2%nat [Some 0%nat] 0%nat 1%nat (1 / 4) ltac:(lia) ltac:(lia) ltac:(lia) Hin ltac:(lra)).
  assert (Hroom : unsaturated (1 / 4) 2 [Some 0%nat]).
  { split; [lra|]. intros [|[|u]] Hu; [| |lia]; unfold count; simpl; lra. }
  specialize (Hred Hroom ltac:(unfold count; simpl; lia)). fold m in Hred.
  apply Rnot_le_lt. intros Hle.
  assert (N0 : novelty m (column 0%nat (map (binary (1 / 4)) [Some 0%nat])) = g 1%nat).
  { change (g (count_relevant [1 / 4]) = g 1%nat). simpl. destruct (Rlt_dec 0 (1 / 4)); [reflexivity|lra]. }
  assert (N1 : novelty m (column 1%nat (map (binary (1 / 4)) [Some 0%nat])) = g 0%nat).
  { change (g (count_relevant [0]) = g 0%nat). simpl. destruct (Rlt_dec 0 0); [lra|reflexivity]. }
  assert (Hw : weigh m (balanced 2) 1%nat = weigh m (balanced 2) 0%nat) by exact (Heven 2%nat 1%nat 0%nat).
  assert (Hw1 : 0 < weigh m (balanced 2) 1%nat) by (rewrite Hw; exact Hpos).
  rewrite <- N0, <- N1 in Hle. destruct Hle as [Hlt|Heq].
  - pose proof (append_compare m 2%nat (balanced 2) (map (binary (1 / 4)) [Some 0%nat]) 1%nat 0%nat (1 / 4)
      HD ltac:(lia) ltac:(lia) ltac:(lra) Hw1 Hw Hlt). lra.
  - pose proof (append_tie m 2%nat (balanced 2) (map (binary (1 / 4)) [Some 0%nat]) 1%nat 0%nat (1 / 4)
      ltac:(lia) ltac:(lia) Hw Heq). lra.
Qed.

(** (0, 1/2, x) with a small x: moved to the top, x costs the good document its novelty. *)
Theorem counts_break_pri share D g e :
  weighs_one (Sum share D (by_count g) e) -> decreasing D -> g 1%nat < g 0%nat ->
  ~ Pri_as_written (score (Sum share D (by_count g) e)).
Proof.
  intros Hw HD Hg H. set (m := Sum share D (by_count g) e).
  set (a := D 1%nat * g 0%nat - D 3%nat * g 1%nat).
  set (b := D 2%nat * (1 / 2) * (g 0%nat - g 1%nat)).
  pose proof (positive _ HD 1) as HD2.
  assert (Hb : 0 < b) by (unfold b; apply Rmult_lt_0_compat; lra).
  assert (Hx : exists x, 0 < x < 1 /\ x * a < b).
  { exists (Rmin (1 / 2) (b / (2 * (Rabs a + 1)))). pose proof (Rabs_pos a).
    assert (0 < b / (2 * (Rabs a + 1))) by (apply Rdiv_lt_0_compat; lra).
    pose proof (Rmin_l (1 / 2) (b / (2 * (Rabs a + 1)))). pose proof (Rmin_r (1 / 2) (b / (2 * (Rabs a + 1)))).
    assert (0 < Rmin (1 / 2) (b / (2 * (Rabs a + 1)))) by (apply Rmin_glb_lt; lra).
    set (x := Rmin (1 / 2) (b / (2 * (Rabs a + 1)))) in *. split; [lra|].
    apply Rle_lt_trans with (x * (Rabs a + 1)).
    - apply Rmult_le_compat_l; [lra|]. pose proof (Rle_abs a). lra.
    - apply Rle_lt_trans with (b / (2 * (Rabs a + 1)) * (Rabs a + 1)); [apply Rmult_le_compat_r; lra|].
      replace (b / (2 * (Rabs a + 1)) * (Rabs a + 1)) with (b / 2) by (field; lra). lra. }
  destruct Hx as [x [Hx Hsmall]].
  specialize (H [] [1 / 2] [] 0 x). simpl app in H.
  assert (He : each_below_one [0; 1 / 2; x]) by (intros r Hr; simpl in Hr; intuition lra).
  specialize (H He ltac:(lra)). fold m in H. rewrite !single_score in H by exact Hw.
  cbn [value app length novelty discount m] in H. unfold by_count in H. simpl count_relevant in H.
  repeat match type of H with context [Rlt_dec 0 ?y] => destruct (Rlt_dec 0 y); try lra end.
  unfold spent in H. simpl in H. unfold a, b in *. nra.
Qed.

Theorem red_pri_exclusive share D g e :
  weighs_one (Sum share D (by_count g) e) -> decreasing D -> weighs_evenly (Sum share D (by_count g) e) ->
  0 < share (balanced 2) 0%nat ->
  ~ (Red_charitable (score (Sum share D (by_count g) e)) /\ Pri_as_written (score (Sum share D (by_count g) e))).
Proof.
  intros Hw HD Heven Hpos [Hred Hpri].
  apply (counts_break_pri share D g e Hw HD); [|exact Hpri].
  exact (red_makes_counts_fall share D g e HD Heven Hpos Hred).
Qed.

(** ** D. Conf, continuity and monotonicity, for any metric *)

(** The score changes little if the last document is only a little relevant. *)
Definition continuous_at_zero (Q : metric) : Prop :=
  forall l eps, l <> [] -> sum_below_one l -> 0 < eps ->
    exists delta, 0 < delta /\ forall r, 0 < r < delta -> Rabs (single Q (l ++ [r]) - single Q (l ++ [0])) < eps.

(** Moffat: appending a relevant document never lowers the score. *)
Definition monotone (Q : metric) : Prop :=
  forall l r, l <> [] -> sum_below_one (l ++ [r]) -> 0 < r -> single Q l <= single Q (l ++ [r]).

Theorem conf_continuous_monotone_exclusive Q :
  ~ (Conf_charitable Q /\ continuous_at_zero Q /\ monotone Q).
Proof.
  intros [Hconf [Hcont Hmono]].
  assert (Hl : sum_below_one [1 / 4]) by (split; [intros r [<-|[]]; lra|simpl; lra]).
  specialize (Hconf [1 / 4] ltac:(discriminate) Hl).
  set (loss := single Q [1 / 4] - single Q ([1 / 4] ++ [0])).
  destruct (Hcont [1 / 4] loss ltac:(discriminate) Hl ltac:(unfold loss; lra)) as [delta [Hd H]].
  set (r := Rmin (delta / 2) (1 / 4)).
  assert (Hr : 0 < r < delta /\ r <= 1 / 4).
  { unfold r. pose proof (Rmin_l (delta / 2) (1 / 4)). pose proof (Rmin_r (delta / 2) (1 / 4)).
    assert (0 < Rmin (delta / 2) (1 / 4)) by (apply Rmin_glb_lt; lra). lra. }
  specialize (H r ltac:(lra)).
  assert (Hs : sum_below_one ([1 / 4] ++ [r])).
  { split; [intros x [<-|[<-|[]]]; lra|simpl; lra]. }
  specialize (Hmono [1 / 4] r ltac:(discriminate) Hs ltac:(lra)).
  apply Rabs_def2 in H. unfold loss in *. lra.
Qed.

(** ** E. Sat and CloseTh as written *)

(** A discount that does not grow, and novelty that each relevant document multiplies by u: none (u = 1), (1 - alpha)^c. *)
Record counting (m : sum) (phi : R -> R) (u : R) : Prop := {
  weighs : weighs_one m;
  pays : forall i, 0 < discount m (S i);
  never_rises : forall i, discount m (S (S i)) <= discount m (S i);
  factor : multiplies m phi;
  at_nothing : phi 0 = 1;
  at_relevant : forall r, 0 < r -> phi r = u;
  kept : 0 <= u <= 1;
  begins : bounded (novelty m)
}.

Lemma never_rises_le m phi u i j : counting m phi u -> (i <= j)%nat -> discount m (S j) <= discount m (S i).
Proof. intros H Hij. induction Hij as [|j Hij IH]; [lra|]. pose proof (never_rises _ _ _ H j). lra. Qed.

(** Sat at any r_max asks that the effort be at least the novelty after one document. *)
Lemma sat_needs_effort m phi u : counting m phi u -> Sat_as_written (score m) -> u <= effort m.
Proof.
  intros Hm [r_max [Hr H]].
  assert (Hp : proper 1 (fun _ => 1)) by (split; [intros; lra|simpl; lra]).
  specialize (H 1%nat (fun _ => 1) [] 0%nat 1 Hp ltac:(lia) ltac:(intros x []) ltac:(lra)).
  rewrite sat_gain in H by lia. cbn [column map app length] in H.
  assert (E : novelty m [r_max] = u).
  { rewrite (factor _ _ _ Hm). simpl. rewrite (at_relevant _ _ _ Hm) by lra. lra. }
  rewrite E in H. pose proof (weighs _ _ _ Hm) as Hw. unfold weighs_one in Hw. rewrite Hw in H.
  pose proof (pays _ _ _ Hm 1). apply Rnot_lt_le. intros Hlt.
  assert (0 < discount m 2 * (1 * 1 * u - effort m)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** With that much effort no m does: all but one of the m documents bring at most what their ranks cost. *)
Theorem effort_breaks_closeth m phi u r :
  counting m phi u -> u <= effort m -> 0 < r < 1 -> ~ CloseTh_at (score m) r.
Proof.
  intros Hm He Hr [n [Hn H]]. pose proof (weighs _ _ _ Hm) as Hw. pose proof (kept _ _ _ Hm) as Hu.
  rewrite one_first_score in H by (exact Hw || exact (begins _ _ _ Hm)).
  rewrite (behind_score_product m phi) in H by (exact Hw || exact (factor _ _ _ Hm) || exact (at_nothing _ _ _ Hm)).
  rewrite (at_relevant _ _ _ Hm) in H by lra. unfold spent in H.
  set (D := discount m) in *. set (e := effort m) in *.
  assert (Hpos : forall i, 0 < D (S i)) by exact (pays _ _ _ Hm).
  destruct n as [|n]; [lia|].
  rewrite sum_to_first in H. rewrite Nat.add_0_r in H. simpl pow in H.
  assert (Htail : sum_to n (fun j => D (S (S n + S j)) * (u * u ^ j)) <= u * sum_to n (fun j => D (S (S n + S j)))).
  { rewrite <- sum_to_scal. apply sum_to_le. intros j _. pose proof (Hpos (S n + S j)%nat).
    assert (0 <= u ^ j <= 1).
    { pose proof (pow_incr u 1 j ltac:(lra)) as Hi. rewrite pow1 in Hi. split; [apply pow_le; lra|exact Hi]. }
    assert (D (S (S n + S j)) * (u * u ^ j) <= D (S (S n + S j)) * (u * 1)).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
    lra. }
  assert (Hall : sum_to (2 * S n) (fun i => D (S i)) =
                 D 1%nat + sum_to (S n) (fun i => D (S (S i))) + sum_to n (fun j => D (S (S n + S j)))).
  { replace (2 * S n)%nat with (S (S n + n)) by lia. rewrite sum_to_first.
    rewrite (sum_to_add (S n) n (fun i => D (S (S i)))).
    rewrite (sum_to_ext n (fun i => D (S (S (S n + i)))) (fun j => D (S (S n + S j)))).
    - lra.
    - intros i _. f_equal. lia. }
  rewrite Hall in H.
  set (A := sum_to (S n) (fun i => D (S (S i)))) in *.
  set (B := sum_to n (fun j => D (S (S n + S j)))) in *.
  set (C := sum_to n (fun j => D (S (S n + S j)) * (u * u ^ j))) in *.
  assert (HA : 0 <= A).
  { unfold A. rewrite <- (sum_to_zero (S n) (fun _ => 0)) by reflexivity. apply sum_to_le. intros i _. apply Rlt_le, Hpos. }
  assert (HB : 0 <= B).
  { unfold B. rewrite <- (sum_to_zero n (fun _ => 0)) by reflexivity. apply sum_to_le. intros i _. apply Rlt_le, Hpos. }
  pose proof (never_rises_le m phi u 0 (S n) Hm ltac:(lia)) as Hfirst. fold D in Hfirst.
  assert (HeB : u * B <= e * B) by (apply Rmult_le_compat_r; lra).
  assert (HeA : 0 <= e * A) by (apply Rmult_le_pos; lra).
  assert (HC : r * C <= u * B).
  { assert (HC0 : 0 <= C).
    { unfold C. rewrite <- (sum_to_zero n (fun _ => 0)) by reflexivity. apply sum_to_le. intros j _.
      apply Rmult_le_pos; [apply Rlt_le, Hpos|]. apply Rmult_le_pos; [lra|apply pow_le; lra]. }
    assert (r * C <= 1 * C) by (apply Rmult_le_compat_r; lra). lra. }
  assert (r * D (S (S n)) <= r * D 1%nat) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Theorem sat_closeth_exclusive m phi u r :
  counting m phi u -> 0 < r < 1 -> ~ (Sat_as_written (score m) /\ CloseTh_at (score m) r).
Proof.
  intros Hm Hr [Hsat Hclose]. exact (effort_breaks_closeth m phi u r Hm (sat_needs_effort m phi u Hm Hsat) Hr Hclose).
Qed.

(** Both novelties of the algebra that count are of this form, with every discount. *)
Lemma decay_counts share D alpha e :
  weighs_one (Sum share D (decay alpha) e) -> 0 < alpha < 1 ->
  (forall i, 0 < D (S i)) -> (forall i, D (S (S i)) <= D (S i)) ->
  counting (Sum share D (decay alpha) e) (phi_decay alpha) (1 - alpha).
Proof.
  intros Hw Ha Hpos Hfall. constructor; try assumption; try lra.
  - exact (decay_product alpha).
  - unfold phi_decay. destruct (Rlt_dec 0 0); lra.
  - intros r Hr. apply phi_decay_constant. exact Hr.
  - exact (decay_bounded alpha Ha).
Qed.

Lemma always_counts share D e :
  weighs_one (Sum share D always e) -> (forall i, 0 < D (S i)) -> (forall i, D (S (S i)) <= D (S i)) ->
  counting (Sum share D always e) phi_always 1.
Proof.
  intros Hw Hpos Hfall. constructor; try assumption; try lra; try reflexivity.
  - exact always_product.
  - exact always_bounded.
Qed.
