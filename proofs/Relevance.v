(** The five relevance-oriented constraints for `Sum` metrics over an abstract discount.

    [m] is a metric whose novelty is a product of phi(r) over the documents above: phi(r) is 1 without novelty, 1 - r
    in the cascade, and 1 - alpha (for r > 0) in the decay. *)

From Coq Require Import Reals List Lia Lra Psatz.
From DivEval Require Import Definitions Constraints Algebra Discounts.
Import ListNotations.
Open Scope R_scope.

Definition multiplies (m : sum) (phi : R -> R) : Prop := forall l, novelty m l = product phi l.

(** The properties of phi that Pri and Deep need. *)
Record gentle (phi : R -> R) : Prop := {
  phi_range : forall r, 0 <= r < 1 -> 0 < phi r <= 1;
  phi_zero : phi 0 = 1;
  phi_swap : forall x y, 0 <= x -> x < y -> y < 1 -> phi x * y - phi y * x <= y - x
}.

Lemma always_gentle : gentle phi_always.
Proof. split; unfold phi_always; intros; lra. Qed.

Lemma cascade_gentle : gentle phi_cascade.
Proof. split; unfold phi_cascade; intros; nra. Qed.

Lemma decay_gentle alpha : 0 < alpha < 1 -> gentle (phi_decay alpha).
Proof.
  intros Ha. unfold phi_decay. split.
  - intros r Hr. destruct (Rlt_dec 0 r); lra.
  - destruct (Rlt_dec 0 0); lra.
  - intros x y Hx Hxy Hy. destruct (Rlt_dec 0 x), (Rlt_dec 0 y); nra.
Qed.

Lemma each_app l k : each_below_one (l ++ k) -> each_below_one l /\ each_below_one k.
Proof. intros H. split; intros r Hr; apply H, in_or_app; auto. Qed.

Lemma each_cons r l : each_below_one (r :: l) -> 0 <= r < 1 /\ each_below_one l.
Proof. intros H. split; [apply H; left; reflexivity|intros x Hx; apply H; right; exact Hx]. Qed.

Lemma product_range phi l : gentle phi -> each_below_one l -> 0 < product phi l <= 1.
Proof.
  intros Hphi. induction l as [|r l IH]; intros H; simpl; [lra|].
  apply each_cons in H as [Hr Hl]. specialize (IH Hl). pose proof (phi_range _ Hphi r Hr). nra.
Qed.

Lemma single_fresh m phi l :
  weighs_one m -> multiplies m phi ->
  single (score m) l = fresh (discount m) phi 0 l - spent m (length l).
Proof.
  intros Hw Hm. rewrite single_score by exact Hw.
  rewrite (value_by_product _ phi) by exact Hm. simpl. lra.
Qed.

(** ** Pri and Deep *)

(** The effect of a contiguous swap at ranks i + 1 and i + 2. *)
Definition swap_worth (D : nat -> R) (phi : R -> R) (i : nat) (x y : R) : R :=
  D (S i) * (y - x) - D (S (S i)) * (phi x * y - phi y * x).

Lemma fresh_swap D phi A B x y :
  fresh D phi 0 (A ++ y :: x :: B) - fresh D phi 0 (A ++ x :: y :: B) =
  product phi A * swap_worth D phi (length A) x y.
Proof. rewrite !fresh_app. simpl. unfold swap_worth. ring. Qed.

Lemma swap_worth_positive D phi i x y :
  decreasing D -> gentle phi -> 0 <= x -> x < y -> y < 1 -> 0 < swap_worth D phi i x y.
Proof.
  intros HD Hphi Hx Hxy Hy. unfold swap_worth.
  pose proof (phi_swap _ Hphi x y Hx Hxy Hy). pose proof (positive _ HD (S i)). pose proof (falls _ HD i).
  assert (D (S (S i)) * (phi x * y - phi y * x) <= D (S (S i)) * (y - x))
    by (apply Rmult_le_compat_l; lra).
  assert (D (S (S i)) * (y - x) < D (S i) * (y - x)) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

Lemma same_length_swap {X} (A M B : list X) x y :
  length (A ++ y :: M ++ x :: B) = length (A ++ x :: M ++ y :: B).
Proof. rewrite !app_length. simpl. rewrite !app_length. simpl. lia. Qed.

(** Contiguous swaps, for every r < 1. *)
Theorem contiguous_pri m phi :
  weighs_one m -> multiplies m phi -> decreasing (discount m) -> gentle phi ->
  forall A B x y, each_below_one (A ++ x :: y :: B) -> x < y ->
    single (score m) (A ++ y :: x :: B) > single (score m) (A ++ x :: y :: B).
Proof.
  intros Hw Hm HD Hphi A B x y He Hxy.
  rewrite !(single_fresh m phi) by assumption.
  rewrite (same_length_swap A [] B x y : length (A ++ y :: x :: B) = length (A ++ x :: y :: B)).
  pose proof (fresh_swap (discount m) phi A B x y) as E.
  apply each_app in He as [HA He]. apply each_cons in He as [Hx He]. apply each_cons in He as [Hy _].
  pose proof (product_range phi A Hphi HA).
  pose proof (swap_worth_positive _ _ (length A) x y HD Hphi (proj1 Hx) Hxy (proj2 Hy)).
  assert (0 < product phi A * swap_worth (discount m) phi (length A) x y)
    by (apply Rmult_lt_0_compat; lra).
  lra.
Qed.

Theorem pri_charitable_product m phi :
  weighs_one m -> multiplies m phi -> decreasing (discount m) -> gentle phi -> Pri_charitable (score m).
Proof.
  intros Hw Hm HD Hphi A B x y Hs Hxy.
  apply (contiguous_pri m phi); auto using sum_below_each.
Qed.

(** A swap at any distance: in the cascade the documents between gain less than the swap, because their total gain is
    at most the discount of the first of them. *)
Lemma cascade_between D i l :
  decreasing D -> each_below_one l ->
  fresh D phi_cascade i l + product phi_cascade l * D (S (i + length l)) <= D (S i).
Proof.
  intros HD. revert i. induction l as [|r l IH]; intros i He; simpl.
  - rewrite Nat.add_0_r. lra.
  - apply each_cons in He as [Hr He]. specialize (IH (S i) He).
    replace (i + S (length l))%nat with (S i + length l)%nat by lia.
    pose proof (falls _ HD i). unfold phi_cascade at 1 3.
    assert ((1 - r) * (fresh D phi_cascade (S i) l + product phi_cascade l * D (S (S i + length l)))
            <= (1 - r) * D (S (S i))) by (apply Rmult_le_compat_l; lra).
    assert ((1 - r) * D (S (S i)) <= (1 - r) * D (S i)) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Theorem pri_as_written_cascade m :
  weighs_one m -> multiplies m phi_cascade -> decreasing (discount m) -> Pri_as_written (score m).
Proof.
  intros Hw Hm HD A M B x y He Hxy. unfold Rgt.
  rewrite !(single_fresh m phi_cascade) by assumption.
  rewrite same_length_swap. rewrite !fresh_app. cbn [fresh]. rewrite !fresh_app. cbn [fresh]. simpl Nat.add.
  apply each_app in He as [HA He]. apply each_cons in He as [Hx He].
  apply each_app in He as [HM He]. apply each_cons in He as [Hy HB].
  pose proof (product_range _ _ cascade_gentle HA) as [HP _].
  set (P := product phi_cascade A) in *. set (i := length A) in *.
  pose proof (cascade_between (discount m) (S i) M HD HM) as Hbetween.
  pose proof (falls _ HD i) as Hfalls.
  set (F := fresh (discount m) phi_cascade (S i) M) in *.
  set (PM := product phi_cascade M) in *.
  change (S i + length M)%nat with (S (i + length M)) in Hbetween.
  set (G := fresh (discount m) phi_cascade (S (S (i + length M))) B) in *.
  set (Dj := discount m (S (S (i + length M)))) in *.
  change (phi_cascade x) with (1 - x). change (phi_cascade y) with (1 - y).
  assert (0 < P * ((y - x) * (discount m (S i) - F - PM * Dj))).
  { repeat apply Rmult_lt_0_compat; lra. }
  match goal with |- ?worse - ?c < ?better - ?c =>
    assert (better - worse = P * ((y - x) * (discount m (S i) - F - PM * Dj))) by ring
  end.
  lra.
Qed.

Theorem pri_as_written_always m :
  weighs_one m -> multiplies m phi_always -> decreasing (discount m) -> Pri_as_written (score m).
Proof.
  intros Hw Hm HD A M B x y He Hxy. unfold Rgt.
  rewrite !(single_fresh m phi_always) by assumption.
  rewrite same_length_swap. rewrite !fresh_app. cbn [fresh]. rewrite !fresh_app. cbn [fresh]. simpl Nat.add.
  assert (Hone : forall l, product phi_always l = 1) by (intros; rewrite <- always_product; reflexivity).
  rewrite !Hone.
  pose proof (decreasing_lt (discount m) (length A) (S (length A + length M)) HD ltac:(lia)).
  assert (0 < (y - x) * (discount m (S (length A)) - discount m (S (S (length A + length M)))))
    by (apply Rmult_lt_0_compat; lra).
  change (phi_always x) with 1. change (phi_always y) with 1.
  match goal with |- ?worse - ?c < ?better - ?c =>
    assert (better - worse = (y - x) * (discount m (S (length A)) - discount m (S (S (length A + length M)))))
      by ring
  end.
  lra.
Qed.

(** Deep: the swap has less effect further down, after the documents between. *)
Lemma swap_worth_falls D phi i j x y :
  decreasing D -> convex D -> gentle phi -> 0 <= x -> x < y -> y < 1 -> (i <= j)%nat ->
  swap_worth D phi j x y <= swap_worth D phi i x y.
Proof.
  intros HD Hconvex Hphi Hx Hxy Hy Hij. unfold swap_worth.
  pose proof (phi_swap _ Hphi x y Hx Hxy Hy) as Hk. set (k := phi x * y - phi y * x) in *.
  pose proof (convex_le D i j Hconvex Hij). pose proof (decreasing_le D (S i) (S j) HD ltac:(lia)).
  replace (D (S j) * (y - x) - D (S (S j)) * k)
    with ((D (S j) - D (S (S j))) * (y - x) + D (S (S j)) * (y - x - k)) by ring.
  replace (D (S i) * (y - x) - D (S (S i)) * k)
    with ((D (S i) - D (S (S i))) * (y - x) + D (S (S i)) * (y - x - k)) by ring.
  apply Rplus_le_compat; apply Rmult_le_compat_r; lra.
Qed.

Lemma swap_worth_falls_strictly D phi i j x y :
  decreasing D -> strictly_convex D -> gentle phi -> 0 <= x -> x < y -> y < 1 -> (i < j)%nat ->
  swap_worth D phi j x y < swap_worth D phi i x y.
Proof.
  intros HD Hconvex Hphi Hx Hxy Hy Hij. unfold swap_worth.
  pose proof (phi_swap _ Hphi x y Hx Hxy Hy) as Hk. set (k := phi x * y - phi y * x) in *.
  pose proof (strictly_convex_lt D i j Hconvex Hij). pose proof (decreasing_le D (S i) (S j) HD ltac:(lia)).
  replace (D (S j) * (y - x) - D (S (S j)) * k)
    with ((D (S j) - D (S (S j))) * (y - x) + D (S (S j)) * (y - x - k)) by ring.
  replace (D (S i) * (y - x) - D (S (S i)) * k)
    with ((D (S i) - D (S (S i))) * (y - x) + D (S (S i)) * (y - x - k)) by ring.
  apply Rplus_lt_le_compat; [apply Rmult_lt_compat_r|apply Rmult_le_compat_r]; lra.
Qed.

Theorem deep_product m phi :
  weighs_one m -> multiplies m phi -> decreasing (discount m) -> convex (discount m) -> gentle phi ->
  (strictly_convex (discount m) \/ forall r, 0 < r < 1 -> phi r < 1) ->
  Deep_as_written (score m).
Proof.
  intros Hw Hm HD Hconvex Hphi Hstrict A M B x y He Hxy. unfold Rgt.
  rewrite !(single_fresh m phi) by assumption.
  assert (Hlength : length (A ++ y :: x :: M ++ x :: y :: B) = length (A ++ x :: y :: M ++ y :: x :: B))
    by (rewrite !app_length; simpl; rewrite !app_length; reflexivity).
  rewrite Hlength.
  pose proof (fresh_swap (discount m) phi A (M ++ x :: y :: B) x y) as Eup.
  pose proof (fresh_swap (discount m) phi (A ++ x :: y :: M) B x y) as Edown.
  rewrite <- !app_assoc in Edown. simpl in Edown.
  apply each_app in He as [HA He]. apply each_cons in He as [Hx He]. apply each_cons in He as [Hy He].
  apply each_app in He as [HM _].
  pose proof (product_range _ _ Hphi HA) as HPA. pose proof (product_range _ _ Hphi HM) as HPM.
  pose proof (phi_range _ Hphi x Hx) as Hphix. pose proof (phi_range _ Hphi y Hy) as Hphiy.
  set (j := length (A ++ x :: y :: M)) in *.
  assert (Hij : (length A < j)%nat) by (unfold j; rewrite app_length; simpl; lia).
  pose proof (swap_worth_positive (discount m) phi (length A) x y HD Hphi (proj1 Hx) Hxy (proj2 Hy)) as Hup.
  pose proof (swap_worth_positive (discount m) phi j x y HD Hphi (proj1 Hx) Hxy (proj2 Hy)) as Hdown.
  assert (Hseen : product phi (A ++ x :: y :: M) = product phi A * (phi x * (phi y * product phi M)))
    by (rewrite product_app; reflexivity).
  rewrite Hseen in Edown.
  set (U := swap_worth (discount m) phi (length A) x y) in *. set (V := swap_worth (discount m) phi j x y) in *.
  set (P := product phi A) in *. set (PM := product phi M) in *.
  assert (Hz : phi x * (phi y * PM) * V < U).
  { assert (0 < phi y * PM <= phi y) by nra.
    assert (0 < phi x * (phi y * PM) <= phi y) by nra.
    destruct Hstrict as [Hs|Hs].
    - pose proof (swap_worth_falls_strictly (discount m) phi (length A) j x y HD Hs Hphi (proj1 Hx) Hxy (proj2 Hy) Hij)
        as HUV. fold U V in HUV. nra.
    - pose proof (swap_worth_falls (discount m) phi (length A) j x y HD Hconvex Hphi (proj1 Hx) Hxy (proj2 Hy)
        (Nat.lt_le_incl _ _ Hij)) as HUV. fold U V in HUV.
      assert (phi y < 1) by (apply Hs; lra). nra. }
  assert (P * (phi x * (phi y * PM) * V) < P * U) by (apply Rmult_lt_compat_l; lra).
  lra.
Qed.

(** ** Conf *)

Lemma single_append m l r :
  weighs_one m ->
  single (score m) (l ++ [r]) = single (score m) l + discount m (S (length l)) * (r * novelty m l - effort m).
Proof.
  intros Hw. unfold single. rewrite map_app. simpl. rewrite score_append, map_length. simpl.
  rewrite column_single, Hw. f_equal. f_equal. lra.
Qed.

Theorem conf_with_effort m :
  weighs_one m -> decreasing (discount m) -> 0 < effort m -> Conf_as_written (score m).
Proof.
  intros Hw HD He l _ _. rewrite single_append by exact Hw. pose proof (positive _ HD (length l)). nra.
Qed.

(** Without effort a non-relevant document costs nothing. *)
Theorem conf_fails_without_effort m (small : contribution) :
  weighs_one m -> effort m = 0 -> small [0] -> ~ Conf_when small (score m).
Proof.
  intros Hw He Hs H. specialize (H [0] ltac:(discriminate) Hs).
  rewrite single_append in H by exact Hw. rewrite He in H. lra.
Qed.

Lemma zero_each : each_below_one [0].
Proof. intros r [<-|[]]. lra. Qed.

Lemma zero_sum : sum_below_one [0].
Proof. split; [intros r [<-|[]]; lra|simpl; lra]. Qed.
