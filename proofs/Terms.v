(** Each metric of the manifest, put together from the parts of its declaration in Python: equal by structure to its
    definition. Written by terms.py. *)

From Coq Require Import Reals.
From DivEval Require Import Definitions.
Open Scope R_scope.

Goal forall (p e : R), RBU p e = (score (Sum given (geometric p) cascade e)).
Proof. reflexivity. Qed.  (* RBU *)

Goal forall (p e : R) (k : nat), cut k (RBU p e) = (cut k (score (Sum given (geometric p) cascade e))).
Proof. reflexivity. Qed.  (* RBU@k *)

Goal forall (p : R), RBP p = (without_aspects (score (Sum given (patient p) always 0))).
Proof. reflexivity. Qed.  (* RBP *)

Goal forall (p : R), RBP_IA p = (score (Sum given (patient p) always 0)).
Proof. reflexivity. Qed.  (* RBP-IA *)

Goal ERR_IA = (score (Sum given reciprocal cascade 0)).
Proof. reflexivity. Qed.  (* ERR-IA *)

Goal forall (k : nat), cut k (ERR_IA) = (cut k (score (Sum given reciprocal cascade 0))).
Proof. reflexivity. Qed.  (* ERR-IA@k *)

Goal ERR = (without_aspects (score (Sum given reciprocal cascade 0))).
Proof. reflexivity. Qed.  (* ERR *)

Goal forall (k : nat), cut k (ERR) = (cut k (without_aspects (score (Sum given reciprocal cascade 0)))).
Proof. reflexivity. Qed.  (* ERR@k *)

Goal forall (p alpha : R), NRBP p alpha = (score (Sum uniform (geometric0 p) (decay alpha) 0)).
Proof. reflexivity. Qed.  (* NRBP *)

Goal forall (alpha : R), alpha_DCG alpha = (score (Sum uniform logarithmic (decay alpha) 0)).
Proof. reflexivity. Qed.  (* alpha-DCG *)

Goal forall (alpha e : R), EU alpha e = (score (Sum given shifted_log (decay alpha) e)).
Proof. reflexivity. Qed.  (* EU *)

Goal forall (alpha : R), CT alpha 1 = (score (Sum given reciprocal (cube alpha 1) 0)).
Proof. reflexivity. Qed.  (* CT *)

Goal forall (alpha : R) (k : nat), cut k (CT alpha 1) = (cut k (score (Sum given reciprocal (cube alpha 1) 0))).
Proof. reflexivity. Qed.  (* CT@k *)
