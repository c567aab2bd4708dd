(** The algebra of `Sum` metrics: a score is a sum over aspects of column values, less the effort.

    Everything the constraints compare is reduced here to one aspect's column of relevance, and a column to the part of
    it that changes. *)

From Coq Require Import Reals List Lia Lra.
From DivEval Require Import Definitions Constraints.
Import ListNotations.
Open Scope R_scope.

(** ** Finite sums *)

Lemma sum_to_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum_to n f = sum_to n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma sum_to_plus n f g : sum_to n (fun i => f i + g i) = sum_to n f + sum_to n g.
Proof. induction n as [|n IH]; simpl; [lra|rewrite IH; lra]. Qed.

Lemma sum_to_scal n c f : sum_to n (fun i => c * f i) = c * sum_to n f.
Proof. induction n as [|n IH]; simpl; [lra|rewrite IH; lra]. Qed.

Lemma sum_to_zero n f : (forall i, (i < n)%nat -> f i = 0) -> sum_to n f = 0.
Proof.
  intros H. rewrite (sum_to_ext n f (fun i => 0 * f i)); [rewrite sum_to_scal; lra|].
  intros i Hi. rewrite H by exact Hi. lra.
Qed.

Lemma sum_to_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum_to n f <= sum_to n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [lra|].
  assert (sum_to n f <= sum_to n g) by (apply IH; intros; apply H; lia).
  assert (f n <= g n) by (apply H; lia). lra.
Qed.

Lemma sum_to_lt n f g :
  (0 < n)%nat -> (forall i, (i < n)%nat -> f i < g i) -> sum_to n f < sum_to n g.
Proof.
  intros Hn H. destruct n as [|n]; [lia|]. simpl.
  assert (sum_to n f <= sum_to n g) by (apply sum_to_le; intros; apply Rlt_le, H; lia).
  assert (f n < g n) by (apply H; lia). lra.
Qed.

Lemma sum_to_first n f : sum_to (S n) f = f O + sum_to n (fun i => f (S i)).
Proof. induction n as [|n IH]; [simpl; lra|]. cbn [sum_to] in *. rewrite IH. lra. Qed.

Lemma sum_to_add n m f : sum_to (n + m) f = sum_to n f + sum_to m (fun i => f (n + i)%nat).
Proof.
  induction m as [|m IH]; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r. simpl. rewrite IH. lra.
Qed.

Lemma sum_to_swap n m f :
  sum_to n (fun i => sum_to m (fun j => f i j)) = sum_to m (fun j => sum_to n (fun i => f i j)).
Proof.
  induction n as [|n IH]; simpl.
  - symmetry. apply sum_to_zero. reflexivity.
  - rewrite IH. rewrite <- sum_to_plus. reflexivity.
Qed.

(** A sum in which only the term at [a] is not zero. *)
Lemma sum_to_one n a f : (a < n)%nat -> (forall i, i <> a -> f i = 0) -> sum_to n f = f a.
Proof.
  intros Ha H. induction n as [|n IH]; [lia|]. simpl.
  destruct (Nat.eq_dec a n) as [->|Hne].
  - rewrite sum_to_zero; [lra|]. intros i Hi. apply H. lia.
  - rewrite IH by lia. rewrite (H n) by lia. lra.
Qed.

(** sum_t w(t) * r(t) * f(t) for a document about one aspect. *)
Lemma sum_about T w t r f :
  (t < T)%nat -> sum_to T (fun u => w u * about t r u * f u) = w t * r * f t.
Proof.
  intros Ht. rewrite (sum_to_one T t).
  - unfold about. rewrite Nat.eqb_refl. reflexivity.
  - exact Ht.
  - intros i Hi. unfold about. apply Nat.eqb_neq in Hi. rewrite Hi. lra.
Qed.

(** ** One document appended *)

Lemma firstn_exact {X} (l : list X) m : firstn (length l) (l ++ m) = l.
Proof. rewrite firstn_app, Nat.sub_diag, firstn_all, firstn_O, app_nil_r. reflexivity. Qed.

Lemma firstn_before {X} (l m : list X) i : (i <= length l)%nat -> firstn i (l ++ m) = firstn i l.
Proof.
  intros H. rewrite firstn_app. replace (i - length l)%nat with O by lia.
  rewrite firstn_O, app_nil_r. reflexivity.
Qed.

(** The contribution of the last document: D(n + 1) * (sum_t w(t) r(t) nu(t) - e). *)
Lemma score_append m T w d x :
  score m T w (d ++ [x]) =
  score m T w d
  + discount m (S (length d)) * (sum_to T (fun t => weigh m w t * x t * novelty m (column t d)) - effort m).
Proof.
  unfold score. rewrite app_length. simpl length. rewrite Nat.add_1_r. cbn [sum_to]. f_equal.
  - apply sum_to_ext. intros i Hi. unfold gain, at_rank.
    rewrite app_nth1 by lia. rewrite firstn_before by lia. reflexivity.
  - unfold gain, at_rank. rewrite app_nth2, Nat.sub_diag by lia. simpl.
    rewrite firstn_exact. reflexivity.
Qed.

(** ** Columns *)

Section Column.
Variable D : nat -> R.
Variable nu : list R -> R.

(** sum_i D(i) r_i nu(i) over one aspect, for a list that follows [above]. *)
Fixpoint value (above l : list R) : R :=
  match l with
  | [] => 0
  | r :: rest => D (S (length above)) * (r * nu above) + value (above ++ [r]) rest
  end.

Lemma value_app above l m : value above (l ++ m) = value above l + value (above ++ l) m.
Proof.
  revert above. induction l as [|r l IH]; intros above; simpl.
  - rewrite app_nil_r. lra.
  - rewrite IH. rewrite <- app_assoc. simpl. lra.
Qed.

Lemma value_sum above l :
  value above l =
  sum_to (length l) (fun i => D (S (length above + i)) * (nth i l 0 * nu (above ++ firstn i l))).
Proof.
  revert above. induction l as [|r l IH]; intros above; [reflexivity|].
  cbn [length]. rewrite sum_to_first. cbn [value]. f_equal.
  - simpl. rewrite Nat.add_0_r, app_nil_r. reflexivity.
  - rewrite IH. apply sum_to_ext. intros i Hi.
    rewrite app_length, <- app_assoc. simpl.
    replace (length above + 1 + i)%nat with (length above + S i)%nat by lia. reflexivity.
Qed.

Lemma value_zeros above n : value above (repeat 0 n) = 0.
Proof. revert above. induction n as [|n IH]; intros; simpl; [reflexivity|rewrite IH; lra]. Qed.

End Column.

Lemma value_ext D nu nu' above l :
  (forall a b, l = a ++ b -> b <> [] -> nu (above ++ a) = nu' (above ++ a)) ->
  value D nu above l = value D nu' above l.
Proof.
  revert above. induction l as [|r l IH]; intros above H; [reflexivity|]. simpl. f_equal.
  - assert (E : nu (above ++ []) = nu' (above ++ [])) by (apply (H [] (r :: l)); [reflexivity|discriminate]).
    rewrite app_nil_r in E. rewrite E. reflexivity.
  - apply IH. intros a b Hl Hb. rewrite <- !app_assoc. simpl.
    apply (H (r :: a) b); [simpl; rewrite Hl; reflexivity|exact Hb].
Qed.

(** The effort of n documents. *)
Definition spent (m : sum) (n : nat) : R := effort m * sum_to n (fun i => discount m (S i)).

Lemma column_at t d i : (i < length d)%nat -> nth i (column t d) 0 = at_rank d i t.
Proof.
  intros H. unfold column, at_rank.
  change 0 with ((fun x : document => x t) nothing). apply (map_nth (fun x : document => x t)).
Qed.

Lemma column_app t c d : column t (c ++ d) = column t c ++ column t d.
Proof. apply map_app. Qed.

Lemma column_length t d : length (column t d) = length d.
Proof. apply map_length. Qed.

Lemma column_firstn t d i : column t (firstn i d) = firstn i (column t d).
Proof. unfold column. symmetry. apply firstn_map. Qed.

(** The score by aspects. *)
Lemma score_columns m T w d :
  score m T w d =
  sum_to T (fun t => weigh m w t * value (discount m) (novelty m) [] (column t d)) - spent m (length d).
Proof.
  unfold score, gain, spent.
  rewrite (sum_to_ext (length d) _
    (fun i => sum_to T (fun t => weigh m w t *
                (discount m (S i) * (at_rank d i t * novelty m (column t (firstn i d)))))
              + - effort m * discount m (S i))).
  2:{ intros i Hi.
      replace (discount m (S i) *
        (sum_to T (fun t => weigh m w t * at_rank d i t * novelty m (column t (firstn i d))) - effort m))
      with (discount m (S i) * sum_to T (fun t => weigh m w t * at_rank d i t * novelty m (column t (firstn i d)))
            + - effort m * discount m (S i)) by lra.
      f_equal. rewrite <- sum_to_scal. apply sum_to_ext. intros t Ht. lra. }
  rewrite sum_to_plus, sum_to_scal, sum_to_swap.
  replace (- effort m * sum_to (length d) (fun i => discount m (S i)))
    with (- (effort m * sum_to (length d) (fun i => discount m (S i)))) by lra.
  unfold Rminus. f_equal. apply sum_to_ext. intros t Ht.
  rewrite sum_to_scal. f_equal. rewrite value_sum, column_length.
  apply sum_to_ext. intros i Hi. rewrite column_at by exact Hi. rewrite column_firstn. reflexivity.
Qed.

(** Over a single aspect there is one column. *)
Lemma column_single l : column 0%nat (map (fun r _ => r) l) = l.
Proof. unfold column. rewrite map_map. apply map_id. Qed.

Definition weighs_one (m : sum) : Prop := weigh m (fun _ => 1) 0%nat = 1.

Lemma single_score m l :
  weighs_one m -> single (score m) l = value (discount m) (novelty m) [] l - spent m (length l).
Proof.
  intros H. unfold single. rewrite score_columns. simpl. rewrite column_single, map_length, H. lra.
Qed.

(** ** Novelty that is a product over the documents above: none, the cascade, decay *)

Section Multiplied.
Variable D : nat -> R.
Variable phi : R -> R.

Fixpoint product (l : list R) : R :=
  match l with
  | [] => 1
  | r :: rest => phi r * product rest
  end.

Lemma product_app l m : product (l ++ m) = product l * product m.
Proof. induction l as [|r l IH]; simpl; [lra|rewrite IH; lra]. Qed.

(** The value of a list that starts after rank [i], with no relevant document before it. *)
Fixpoint fresh (i : nat) (l : list R) : R :=
  match l with
  | [] => 0
  | r :: rest => D (S i) * r + phi r * fresh (S i) rest
  end.

Lemma fresh_app i l m : fresh i (l ++ m) = fresh i l + product l * fresh (i + length l) m.
Proof.
  revert i. induction l as [|r l IH]; intros i; simpl.
  - rewrite Nat.add_0_r. lra.
  - rewrite IH. replace (S i + length l)%nat with (i + S (length l))%nat by lia. lra.
Qed.

Lemma fresh_zeros i n : fresh i (repeat 0 n) = 0.
Proof. revert i. induction n as [|n IH]; intros i; simpl; [reflexivity|rewrite IH; lra]. Qed.

Lemma value_product above l : value D product above l = product above * fresh (length above) l.
Proof.
  revert above. induction l as [|r l IH]; intros above; simpl; [lra|].
  rewrite IH, product_app, app_length. simpl. rewrite Nat.add_1_r. lra.
Qed.

Lemma product_repeat r n : product (repeat r n) = phi r ^ n.
Proof. induction n as [|n IH]; simpl; [reflexivity|rewrite IH; reflexivity]. Qed.

Lemma fresh_repeat i r n :
  fresh i (repeat r n) = r * sum_to n (fun j => D (S (i + j)) * phi r ^ j).
Proof.
  revert i. induction n as [|n IH]; intros i; [simpl; lra|].
  rewrite sum_to_first. cbn [repeat fresh]. rewrite IH. rewrite Nat.add_0_r. simpl.
  rewrite (sum_to_ext n (fun j => D (S (i + S j)) * (phi r * phi r ^ j))
                        (fun j => phi r * (D (S (S (i + j))) * phi r ^ j))).
  - rewrite sum_to_scal. lra.
  - intros j _. replace (i + S j)%nat with (S (i + j)) by lia. lra.
Qed.

End Multiplied.

Definition phi_always (r : R) : R := 1.
Definition phi_cascade (r : R) : R := 1 - r.
Definition phi_decay (alpha r : R) : R := if Rlt_dec 0 r then 1 - alpha else 1.

Lemma always_product l : always l = product phi_always l.
Proof. unfold always. induction l as [|r l IH]; simpl; [reflexivity|rewrite <- IH; unfold phi_always; lra]. Qed.

Lemma cascade_product l : cascade l = product phi_cascade l.
Proof. induction l as [|r l IH]; simpl; [reflexivity|rewrite IH; reflexivity]. Qed.

Lemma decay_product alpha l : decay alpha l = product (phi_decay alpha) l.
Proof.
  unfold decay. induction l as [|r l IH]; simpl; [reflexivity|].
  rewrite <- IH. unfold phi_decay. destruct (Rlt_dec 0 r); simpl; lra.
Qed.

Lemma value_by_product D phi nu above l :
  (forall l, nu l = product phi l) -> value D nu above l = product phi above * fresh D phi (length above) l.
Proof.
  intros H. rewrite (value_ext D nu (product phi)); [apply value_product|]. intros; apply H.
Qed.

(** The Cube Test is the decay as long as no aspect is full. *)
Lemma cube_decay alpha l : sum_list l < 1 -> cube alpha 1 l = decay alpha l.
Proof. intros H. unfold cube. destruct (Rlt_dec (sum_list l) 1); [reflexivity|contradiction]. Qed.

Lemma value_cube D alpha above l :
  (forall r, In r l -> 0 <= r) -> sum_list (above ++ l) < 1 ->
  value D (cube alpha 1) above l = value D (decay alpha) above l.
Proof.
  intros Hl Hs. apply value_ext. intros a b Hab _. apply cube_decay.
  assert (0 <= sum_list b) by (apply sum_list_nonneg; intros; apply Hl; rewrite Hab; apply in_or_app; auto).
  rewrite Hab, app_assoc, sum_list_app in Hs. lra.
Qed.
