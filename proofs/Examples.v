(** Written by examples.py: rankings scored by diveval's exact interpreter, computed again by Coq. *)

From Coq Require Import Reals QArith Qreals List.
From DivEval Require Import Definitions Compute.
Import ListNotations.
Open Scope R_scope.

Example example_1 :
  RBU (Q2R (9 # 10)) (Q2R (9 # 10)) 2%nat (weights_of [9 # 14; 5 # 14])
    (ranking_of [[0 # 1; 7 # 12]])
  = Q2R ((-249) # 400).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_2 :
  RBU (Q2R (1 # 20)) (Q2R (3 # 20)) 2%nat (weights_of [7 # 16; 9 # 16])
    (ranking_of [[0 # 1; 1 # 12]; [1 # 6; 1 # 12]])
  = Q2R ((-8051) # 1536000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_3 :
  RBU (Q2R (1 # 2)) (Q2R (1 # 10)) 2%nat (weights_of [3 # 5; 2 # 5])
    (ranking_of [[1 # 3; 1 # 1]; [1 # 3; 1 # 1]])
  = Q2R (31 # 120).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_4 :
  RBU (Q2R (17 # 20)) (Q2R (2 # 5)) 4%nat (weights_of [8 # 21; 2 # 7; 5 # 21; 2 # 21])
    (ranking_of [[1 # 1; 1 # 2; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 2; 1 # 2]])
  = Q2R ((-5321) # 84000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_5 :
  RBU (Q2R (13 # 20)) (Q2R (3 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [0 # 1]; [1 # 1]])
  = Q2R ((-30329) # 160000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_6 :
  RBU (Q2R (1 # 2)) (Q2R (9 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 1]; [0 # 1]; [0 # 1]; [0 # 1]; [0 # 1]])
  = Q2R ((-407) # 640).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_7 :
  RBU (Q2R (7 # 20)) (Q2R (3 # 5)) 3%nat (weights_of [9 # 17; 3 # 17; 5 # 17])
    (ranking_of [[0 # 1; 1 # 4; 0 # 1]])
  = Q2R ((-1323) # 6800).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_8 :
  RBU (Q2R (3 # 4)) (Q2R (1 # 2)) 2%nat (weights_of [1 # 8; 7 # 8])
    (ranking_of [[1 # 1; 0 # 1]; [1 # 12; 1 # 12]; [1 # 1; 1 # 1]])
  = Q2R ((-807) # 2048).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_9 :
  RBU (Q2R (3 # 10)) (Q2R (1 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[2 # 3]; [5 # 6]; [7 # 12]; [1 # 1]])
  = Q2R (56417 # 400000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_10 :
  RBU (Q2R (1 # 4)) (Q2R (3 # 4)) 3%nat (weights_of [4 # 13; 4 # 13; 5 # 13])
    (ranking_of [[1 # 1; 1 # 2; 1 # 2]; [0 # 1; 3 # 4; 1 # 2]; [1 # 2; 1 # 1; 3 # 4]])
  = Q2R ((-901) # 13312).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_11 :
  RBU (Q2R (1 # 10)) (Q2R (3 # 4)) 2%nat (weights_of [3 # 4; 1 # 4])
    (ranking_of [[1 # 3; 7 # 12]; [1 # 1; 7 # 12]])
  = Q2R ((-2149) # 57600).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_12 :
  RBU (Q2R (9 # 20)) (Q2R (3 # 5)) 2%nat (weights_of [4 # 13; 9 # 13])
    (ranking_of [[1 # 1; 1 # 2]; [1 # 2; 7 # 12]])
  = Q2R ((-11727) # 208000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_13 :
  RBU (Q2R (3 # 5)) (Q2R (3 # 10)) 4%nat (weights_of [8 # 19; 2 # 19; 1 # 19; 8 # 19])
    (ranking_of [[1 # 3; 1 # 3; 0 # 1; 1 # 12]; [1 # 12; 1 # 12; 1 # 1; 1 # 1]])
  = Q2R (16 # 2375).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_14 :
  RBU (Q2R (3 # 4)) (Q2R (1 # 20)) 4%nat (weights_of [2 # 21; 4 # 21; 2 # 7; 3 # 7])
    (ranking_of [[1 # 6; 3 # 4; 0 # 1; 1 # 6]; [1 # 6; 1 # 1; 0 # 1; 0 # 1]; [1 # 1; 1 # 1; 0 # 1; 3 # 4]])
  = Q2R (14033 # 53760).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_15 :
  RBU (Q2R (19 # 20)) (Q2R (13 # 20)) 2%nat (weights_of [1 # 8; 7 # 8])
    (ranking_of [[11 # 12; 1 # 1]; [0 # 1; 1 # 1]; [0 # 1; 0 # 1]; [0 # 1; 2 # 3]])
  = Q2R ((-12967139) # 9600000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_16 :
  RBU (Q2R (1 # 20)) (Q2R (4 # 5)) 3%nat (weights_of [1 # 17; 7 # 17; 9 # 17])
    (ranking_of [[1 # 4; 1 # 4; 0 # 1]; [1 # 1; 1 # 1; 0 # 1]; [0 # 1; 1 # 1; 3 # 4]])
  = Q2R ((-95977) # 2720000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_17 :
  RBU (Q2R (13 # 20)) (Q2R (13 # 20)) 3%nat (weights_of [9 # 22; 5 # 22; 4 # 11])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1]])
  = Q2R ((-169) # 400).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_18 :
  RBU (Q2R (1 # 10)) (Q2R (7 # 10)) 4%nat (weights_of [5 # 21; 1 # 3; 1 # 3; 2 # 21])
    (ranking_of [[1 # 6; 1 # 1; 1 # 1; 7 # 12]; [0 # 1; 1 # 6; 0 # 1; 7 # 12]; [0 # 1; 0 # 1; 5 # 6; 1 # 6]])
  = Q2R ((-57847) # 45360000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_19 :
  RBU (Q2R (1 # 10)) (Q2R (1 # 20)) 4%nat (weights_of [1 # 11; 4 # 11; 4 # 11; 2 # 11])
    (ranking_of [[0 # 1; 5 # 12; 5 # 6; 0 # 1]; [0 # 1; 5 # 12; 5 # 12; 5 # 6]; [5 # 6; 5 # 6; 0 # 1; 5 # 12]; [0 # 1; 0 # 1; 11 # 12; 0 # 1]])
  = Q2R (5078201 # 118800000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_20 :
  RBU (Q2R (1 # 20)) (Q2R (17 # 20)) 2%nat (weights_of [6 # 11; 5 # 11])
    (ranking_of [[5 # 12; 1 # 1]; [1 # 1; 5 # 12]; [1 # 1; 1 # 1]; [0 # 1; 0 # 1]; [0 # 1; 0 # 1]])
  = Q2R ((-6934727) # 704000000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_21 :
  RBU (Q2R (1 # 10)) (Q2R (3 # 5)) 4%nat (weights_of [5 # 29; 8 # 29; 8 # 29; 8 # 29])
    (ranking_of [[1 # 1; 11 # 12; 0 # 1; 1 # 1]; [1 # 1; 5 # 6; 5 # 6; 5 # 6]; [0 # 1; 1 # 1; 5 # 6; 5 # 6]])
  = Q2R (1973 # 326250).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_22 :
  RBU (Q2R (3 # 20)) (Q2R (1 # 2)) 4%nat (weights_of [1 # 4; 2 # 7; 2 # 7; 5 # 28])
    (ranking_of [[5 # 6; 0 # 1; 0 # 1; 0 # 1]; [1 # 6; 5 # 6; 5 # 6; 1 # 1]])
  = Q2R ((-1797) # 44800).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_23 :
  RBU (Q2R (11 # 20)) (Q2R (1 # 2)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [1 # 2]; [1 # 2]])
  = Q2R (649 # 16000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_24 :
  RBU (Q2R (1 # 2)) (Q2R (2 # 5)) 4%nat (weights_of [1 # 2; 2 # 9; 1 # 6; 1 # 9])
    (ranking_of [[5 # 6; 0 # 1; 1 # 1; 0 # 1]; [1 # 1; 1 # 1; 0 # 1; 0 # 1]; [5 # 12; 1 # 2; 1 # 1; 1 # 1]])
  = Q2R (23 # 720).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_25 :
  RBU (Q2R (1 # 4)) (Q2R (1 # 20)) 2%nat (weights_of [3 # 8; 5 # 8])
    (ranking_of [[11 # 12; 5 # 6]; [0 # 1; 0 # 1]; [1 # 1; 11 # 12]; [0 # 1; 0 # 1]; [5 # 6; 11 # 12]; [11 # 12; 5 # 6]])
  = Q2R (34223809 # 169869312).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_26 :
  RBU (Q2R (1 # 10)) (Q2R (1 # 4)) 2%nat (weights_of [5 # 6; 1 # 6])
    (ranking_of [[1 # 3; 5 # 6]; [1 # 1; 1 # 6]; [1 # 3; 5 # 6]])
  = Q2R (25321 # 1296000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_27 :
  RBU (Q2R (1 # 4)) (Q2R (3 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [5 # 12]; [0 # 1]; [1 # 12]; [0 # 1]])
  = Q2R ((-31993) # 184320).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_28 :
  RBU (Q2R (1 # 4)) (Q2R (1 # 20)) 3%nat (weights_of [1 # 5; 7 # 10; 1 # 10])
    (ranking_of [[11 # 12; 1 # 6; 1 # 6]; [0 # 1; 1 # 12; 1 # 6]; [1 # 6; 0 # 1; 0 # 1]; [1 # 12; 0 # 1; 1 # 12]; [1 # 1; 1 # 12; 0 # 1]; [1 # 1; 1 # 12; 0 # 1]])
  = Q2R (5652127 # 84934656).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_29 :
  RBU (Q2R (1 # 2)) (Q2R (9 # 20)) 3%nat (weights_of [4 # 9; 5 # 18; 5 # 18])
    (ranking_of [[1 # 2; 0 # 1; 0 # 1]; [5 # 12; 1 # 2; 0 # 1]; [1 # 2; 5 # 12; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]; [1 # 1; 1 # 2; 1 # 12]])
  = Q2R ((-70957) # 276480).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_30 :
  RBU (Q2R (17 # 20)) (Q2R (9 # 10)) 3%nat (weights_of [4 # 11; 7 # 22; 7 # 22])
    (ranking_of [[2 # 3; 2 # 3; 2 # 3]])
  = Q2R ((-119) # 600).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_31 :
  RBU (Q2R (3 # 5)) (Q2R (9 # 10)) 4%nat (weights_of [2 # 7; 1 # 7; 4 # 21; 8 # 21])
    (ranking_of [[11 # 12; 1 # 1; 7 # 12; 7 # 12]; [1 # 1; 0 # 1; 11 # 12; 1 # 2]; [11 # 12; 1 # 1; 11 # 12; 0 # 1]; [0 # 1; 0 # 1; 7 # 12; 1 # 1]])
  = Q2R ((-2760293) # 4200000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_32 :
  RBU (Q2R (7 # 10)) (Q2R (1 # 10)) 4%nat (weights_of [3 # 19; 9 # 19; 6 # 19; 1 # 19])
    (ranking_of [[2 # 3; 1 # 6; 1 # 1; 7 # 12]; [0 # 1; 0 # 1; 7 # 12; 0 # 1]; [0 # 1; 7 # 12; 1 # 1; 0 # 1]; [2 # 3; 1 # 1; 7 # 12; 0 # 1]; [0 # 1; 0 # 1; 1 # 1; 2 # 3]])
  = Q2R (104900411 # 342000000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_33 :
  RBU (Q2R (9 # 20)) (Q2R (1 # 10)) 4%nat (weights_of [1 # 9; 2 # 9; 5 # 18; 7 # 18])
    (ranking_of [[1 # 1; 0 # 1; 7 # 12; 0 # 1]; [2 # 3; 7 # 12; 0 # 1; 1 # 1]])
  = Q2R (61 # 375).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_34 :
  RBU (Q2R (17 # 20)) (Q2R (7 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]; [2 # 3]])
  = Q2R ((-54451) # 80000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_35 :
  RBU (Q2R (1 # 4)) (Q2R (4 # 5)) 3%nat (weights_of [1 # 15; 7 # 15; 7 # 15])
    (ranking_of [[7 # 12; 0 # 1; 5 # 12]; [1 # 1; 1 # 1; 5 # 12]])
  = Q2R ((-5311) # 34560).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_36 :
  RBU (Q2R (4 # 5)) (Q2R (7 # 10)) 2%nat (weights_of [4 # 7; 3 # 7])
    (ranking_of [[7 # 12; 1 # 1]; [3 # 4; 0 # 1]])
  = Q2R ((-746) # 2625).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_37 :
  RBU (Q2R (1 # 4)) (Q2R (2 # 5)) 2%nat (weights_of [5 # 8; 3 # 8])
    (ranking_of [[7 # 12; 7 # 12]; [1 # 6; 3 # 4]; [7 # 12; 3 # 4]])
  = Q2R (119687 # 4423680).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_38 :
  RBU (Q2R (19 # 20)) (Q2R (1 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [1 # 1]; [1 # 12]; [1 # 12]; [0 # 1]; [1 # 12]])
  = Q2R (893871739 # 1280000000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_39 :
  RBU (Q2R (3 # 10)) (Q2R (3 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 4]])
  = Q2R (3 # 100).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_40 :
  RBU (Q2R (1 # 2)) (Q2R (1 # 5)) 3%nat (weights_of [9 # 22; 9 # 22; 2 # 11])
    (ranking_of [[0 # 1; 0 # 1; 1 # 1]; [0 # 1; 5 # 6; 1 # 12]; [0 # 1; 0 # 1; 0 # 1]; [0 # 1; 5 # 6; 5 # 6]; [5 # 6; 0 # 1; 1 # 12]])
  = Q2R ((-3) # 880).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_41 :
  RBU (Q2R (7 # 20)) (Q2R (7 # 10)) 2%nat (weights_of [1 # 4; 3 # 4])
    (ranking_of [[1 # 1; 0 # 1]; [5 # 12; 0 # 1]; [1 # 1; 5 # 12]; [5 # 12; 5 # 12]; [1 # 2; 0 # 1]; [1 # 1; 5 # 12]])
  = Q2R ((-200835636071) # 737280000000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_42 :
  RBU (Q2R (4 # 5)) (Q2R (2 # 5)) 2%nat (weights_of [3 # 5; 2 # 5])
    (ranking_of [[1 # 6; 7 # 12]])
  = Q2R ((-4) # 75).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_43 :
  RBU (Q2R (3 # 10)) (Q2R (19 # 20)) 2%nat (weights_of [1 # 8; 7 # 8])
    (ranking_of [[1 # 3; 0 # 1]; [1 # 1; 1 # 1]])
  = Q2R ((-1087) # 4000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_44 :
  RBU (Q2R (1 # 2)) (Q2R (1 # 5)) 4%nat (weights_of [2 # 13; 9 # 26; 3 # 13; 7 # 26])
    (ranking_of [[1 # 12; 0 # 1; 3 # 4; 0 # 1]; [3 # 4; 0 # 1; 1 # 2; 0 # 1]; [0 # 1; 3 # 4; 0 # 1; 1 # 12]; [1 # 1; 1 # 12; 1 # 1; 1 # 2]; [3 # 4; 0 # 1; 0 # 1; 0 # 1]])
  = Q2R ((-1969) # 99840).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_45 :
  RBU (Q2R (17 # 20)) (Q2R (19 # 20)) 4%nat (weights_of [3 # 16; 3 # 16; 1 # 16; 9 # 16])
    (ranking_of [[0 # 1; 1 # 6; 5 # 6; 1 # 6]; [0 # 1; 5 # 6; 0 # 1; 0 # 1]; [1 # 4; 0 # 1; 0 # 1; 0 # 1]])
  = Q2R ((-13854031) # 7680000).
Proof. rewrite RBU_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_46 :
  RBP (Q2R (4 # 5)) 4%nat (weights_of [3 # 7; 3 # 7; 1 # 14; 1 # 14])
    (ranking_of [[0 # 1; 7 # 12; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1; 7 # 12]])
  = Q2R (21 # 100).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_47 :
  RBP (Q2R (3 # 20)) 3%nat (weights_of [3 # 5; 3 # 10; 1 # 10])
    (ranking_of [[1 # 2; 0 # 1; 1 # 1]; [1 # 2; 1 # 2; 0 # 1]; [0 # 1; 1 # 2; 1 # 1]; [1 # 1; 1 # 2; 0 # 1]; [1 # 2; 5 # 6; 1 # 2]; [0 # 1; 1 # 2; 1 # 2]])
  = Q2R (119825231 # 128000000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_48 :
  RBP (Q2R (2 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[2 # 3]; [5 # 12]])
  = Q2R (1 # 2).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_49 :
  RBP (Q2R (11 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [0 # 1]; [1 # 2]; [1 # 3]; [0 # 1]; [7 # 12]])
  = Q2R (27194871 # 256000000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_50 :
  RBP (Q2R (3 # 5)) 3%nat (weights_of [3 # 8; 1 # 3; 7 # 24])
    (ranking_of [[0 # 1; 1 # 1; 1 # 6]; [3 # 4; 2 # 3; 0 # 1]])
  = Q2R (29 # 50).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_51 :
  RBP (Q2R (19 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[2 # 3]; [1 # 12]; [1 # 12]; [1 # 1]])
  = Q2R (20141 # 240000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_52 :
  RBP (Q2R (9 # 20)) 3%nat (weights_of [3 # 14; 1 # 7; 9 # 14])
    (ranking_of [[1 # 1; 1 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]; [2 # 3; 2 # 3; 2 # 3]])
  = Q2R (46673 # 80000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_53 :
  RBP (Q2R (9 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [1 # 12]; [11 # 12]; [1 # 1]; [1 # 1]; [1 # 12]])
  = Q2R (537909779 # 768000000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_54 :
  RBP (Q2R (1 # 2)) 3%nat (weights_of [1 # 16; 1 # 2; 7 # 16])
    (ranking_of [[2 # 3; 2 # 3; 7 # 12]; [1 # 1; 1 # 12; 7 # 12]; [0 # 1; 7 # 12; 1 # 1]])
  = Q2R (17 # 24).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_55 :
  RBP (Q2R (3 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 12]; [0 # 1]; [0 # 1]; [1 # 6]])
  = Q2R (3689 # 200000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_56 :
  RBP (Q2R (1 # 5)) 4%nat (weights_of [3 # 10; 1 # 5; 1 # 10; 2 # 5])
    (ranking_of [[0 # 1; 1 # 1; 1 # 4; 0 # 1]; [0 # 1; 1 # 4; 0 # 1; 1 # 12]])
  = Q2R (21 # 25).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_57 :
  RBP (Q2R (7 # 20)) 4%nat (weights_of [2 # 9; 1 # 9; 4 # 9; 2 # 9])
    (ranking_of [[1 # 2; 1 # 2; 1 # 3; 0 # 1]; [0 # 1; 1 # 1; 1 # 6; 1 # 2]; [0 # 1; 1 # 3; 1 # 1; 0 # 1]])
  = Q2R (5057 # 8000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_58 :
  RBP (Q2R (17 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 6]; [1 # 6]; [1 # 12]; [0 # 1]])
  = Q2R (1769 # 32000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_59 :
  RBP (Q2R (3 # 4)) 3%nat (weights_of [1 # 9; 5 # 9; 1 # 3])
    (ranking_of [[0 # 1; 1 # 6; 5 # 6]; [1 # 6; 5 # 6; 1 # 6]])
  = Q2R (35 # 96).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_60 :
  RBP (Q2R (17 # 20)) 2%nat (weights_of [4 # 7; 3 # 7])
    (ranking_of [[0 # 1; 0 # 1]; [1 # 1; 11 # 12]])
  = Q2R (51 # 400).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_61 :
  RBP (Q2R (9 # 20)) 4%nat (weights_of [3 # 23; 7 # 23; 9 # 23; 4 # 23])
    (ranking_of [[0 # 1; 1 # 4; 0 # 1; 0 # 1]; [0 # 1; 1 # 4; 1 # 4; 0 # 1]])
  = Q2R (319 # 1600).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_62 :
  RBP (Q2R (19 # 20)) 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[5 # 6; 5 # 6]; [0 # 1; 5 # 12]; [1 # 1; 1 # 1]; [1 # 1; 5 # 12]; [5 # 12; 0 # 1]])
  = Q2R (1278113 # 7680000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_63 :
  RBP (Q2R (1 # 4)) 3%nat (weights_of [8 # 19; 7 # 19; 4 # 19])
    (ranking_of [[5 # 12; 7 # 12; 1 # 1]; [1 # 4; 0 # 1; 0 # 1]; [1 # 4; 7 # 12; 7 # 12]; [1 # 4; 5 # 12; 1 # 4]])
  = Q2R (849 # 1024).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_64 :
  RBP (Q2R (1 # 4)) 3%nat (weights_of [1 # 11; 5 # 11; 5 # 11])
    (ranking_of [[7 # 12; 0 # 1; 1 # 1]; [1 # 1; 2 # 3; 7 # 12]; [2 # 3; 0 # 1; 7 # 12]])
  = Q2R (31 # 32).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_65 :
  RBP (Q2R (9 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[2 # 3]; [1 # 2]; [2 # 3]; [3 # 4]; [1 # 2]; [0 # 1]])
  = Q2R (11779823 # 19200000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_66 :
  RBP (Q2R (4 # 5)) 3%nat (weights_of [8 # 21; 8 # 21; 5 # 21])
    (ranking_of [[5 # 6; 1 # 2; 5 # 6]; [0 # 1; 0 # 1; 0 # 1]; [2 # 3; 5 # 6; 1 # 2]; [1 # 1; 0 # 1; 0 # 1]])
  = Q2R (1409 # 3750).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_67 :
  RBP (Q2R (19 # 20)) 3%nat (weights_of [3 # 8; 1 # 8; 1 # 2])
    (ranking_of [[1 # 3; 1 # 12; 0 # 1]; [0 # 1; 0 # 1; 11 # 12]; [11 # 12; 1 # 12; 1 # 12]; [1 # 3; 1 # 1; 11 # 12]])
  = Q2R (17333 # 120000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_68 :
  RBP (Q2R (3 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]])
  = Q2R (0 # 1).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_69 :
  RBP (Q2R (9 # 20)) 4%nat (weights_of [5 # 18; 1 # 3; 1 # 6; 2 # 9])
    (ranking_of [[0 # 1; 0 # 1; 1 # 2; 2 # 3]; [0 # 1; 2 # 3; 2 # 3; 0 # 1]])
  = Q2R (319 # 600).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_70 :
  RBP (Q2R (2 # 5)) 3%nat (weights_of [4 # 7; 1 # 7; 2 # 7])
    (ranking_of [[0 # 1; 0 # 1; 3 # 4]; [1 # 3; 0 # 1; 3 # 4]; [1 # 3; 1 # 12; 0 # 1]])
  = Q2R (331 # 500).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_71 :
  RBP (Q2R (9 # 20)) 4%nat (weights_of [3 # 20; 2 # 5; 1 # 20; 2 # 5])
    (ranking_of [[0 # 1; 0 # 1; 3 # 4; 11 # 12]; [3 # 4; 0 # 1; 1 # 1; 11 # 12]; [11 # 12; 11 # 12; 3 # 4; 0 # 1]; [3 # 4; 1 # 1; 3 # 4; 0 # 1]])
  = Q2R (216931 # 240000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_72 :
  RBP (Q2R (1 # 2)) 3%nat (weights_of [7 # 12; 1 # 12; 1 # 3])
    (ranking_of [[0 # 1; 1 # 3; 1 # 3]; [1 # 3; 1 # 1; 1 # 6]; [1 # 3; 0 # 1; 1 # 6]; [3 # 4; 0 # 1; 3 # 4]; [0 # 1; 3 # 4; 1 # 1]])
  = Q2R (103 # 192).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_73 :
  RBP (Q2R (3 # 4)) 2%nat (weights_of [3 # 4; 1 # 4])
    (ranking_of [[2 # 3; 2 # 3]; [1 # 1; 0 # 1]])
  = Q2R (17 # 48).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_74 :
  RBP (Q2R (13 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [1 # 1]; [0 # 1]; [0 # 1]])
  = Q2R (231 # 400).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_75 :
  RBP (Q2R (17 # 20)) 2%nat (weights_of [7 # 13; 6 # 13])
    (ranking_of [[0 # 1; 2 # 3]])
  = Q2R (1 # 10).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_76 :
  RBP (Q2R (3 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [5 # 12]; [0 # 1]; [5 # 12]; [2 # 3]])
  = Q2R (533 # 3125).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_77 :
  RBP (Q2R (1 # 4)) 4%nat (weights_of [1 # 3; 1 # 21; 8 # 21; 5 # 21])
    (ranking_of [[3 # 4; 3 # 4; 0 # 1; 0 # 1]; [1 # 1; 1 # 1; 1 # 1; 0 # 1]; [1 # 4; 1 # 1; 5 # 12; 3 # 4]; [1 # 1; 5 # 12; 5 # 12; 5 # 12]; [0 # 1; 1 # 1; 0 # 1; 1 # 1]])
  = Q2R (831 # 1024).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_78 :
  RBP (Q2R (3 # 4)) 4%nat (weights_of [3 # 8; 1 # 12; 1 # 4; 7 # 24])
    (ranking_of [[1 # 1; 1 # 2; 0 # 1; 0 # 1]; [0 # 1; 11 # 12; 0 # 1; 1 # 2]; [1 # 2; 3 # 4; 0 # 1; 1 # 2]; [3 # 4; 0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 1; 0 # 1]])
  = Q2R (351 # 512).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_79 :
  RBP (Q2R (3 # 10)) 3%nat (weights_of [3 # 11; 5 # 11; 3 # 11])
    (ranking_of [[1 # 1; 1 # 4; 1 # 2]; [0 # 1; 2 # 3; 1 # 1]; [1 # 1; 0 # 1; 1 # 1]; [1 # 1; 0 # 1; 0 # 1]; [0 # 1; 1 # 2; 0 # 1]])
  = Q2R (198947 # 200000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_80 :
  RBP (Q2R (4 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 4]])
  = Q2R (1 # 25).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_81 :
  RBP (Q2R (1 # 5)) 2%nat (weights_of [5 # 9; 4 # 9])
    (ranking_of [[3 # 4; 0 # 1]])
  = Q2R (3 # 5).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_82 :
  RBP (Q2R (1 # 2)) 3%nat (weights_of [8 # 17; 2 # 17; 7 # 17])
    (ranking_of [[5 # 12; 5 # 12; 5 # 6]])
  = Q2R (5 # 12).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_83 :
  RBP (Q2R (3 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [1 # 1]; [5 # 12]; [0 # 1]; [5 # 12]])
  = Q2R (2167 # 4096).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_84 :
  RBP (Q2R (4 # 5)) 4%nat (weights_of [2 # 15; 8 # 15; 1 # 5; 2 # 15])
    (ranking_of [[11 # 12; 0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 11 # 12; 1 # 4]; [0 # 1; 1 # 1; 2 # 3; 1 # 1]; [1 # 1; 0 # 1; 0 # 1; 1 # 4]])
  = Q2R (1401 # 2500).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_85 :
  RBP (Q2R (9 # 20)) 2%nat (weights_of [3 # 7; 4 # 7])
    (ranking_of [[0 # 1; 0 # 1]; [0 # 1; 1 # 4]])
  = Q2R (99 # 1600).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_86 :
  RBP (Q2R (1 # 4)) 4%nat (weights_of [1 # 7; 5 # 14; 5 # 14; 1 # 7])
    (ranking_of [[2 # 3; 1 # 1; 2 # 3; 2 # 3]; [0 # 1; 2 # 3; 0 # 1; 2 # 3]; [1 # 1; 1 # 4; 0 # 1; 0 # 1]; [2 # 3; 2 # 3; 0 # 1; 2 # 3]; [1 # 1; 0 # 1; 1 # 1; 1 # 1]])
  = Q2R (955 # 1024).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_87 :
  RBP (Q2R (13 # 20)) 2%nat (weights_of [3 # 5; 2 # 5])
    (ranking_of [[1 # 1; 1 # 6]; [1 # 1; 1 # 6]; [7 # 12; 1 # 6]; [0 # 1; 1 # 1]; [0 # 1; 0 # 1]])
  = Q2R (182371 # 240000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_88 :
  RBP (Q2R (19 # 20)) 3%nat (weights_of [2 # 15; 2 # 5; 7 # 15])
    (ranking_of [[0 # 1; 0 # 1; 1 # 1]])
  = Q2R (1 # 20).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_89 :
  RBP (Q2R (1 # 20)) 4%nat (weights_of [1 # 23; 8 # 23; 7 # 23; 7 # 23])
    (ranking_of [[2 # 3; 2 # 3; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 12; 0 # 1]; [3 # 4; 1 # 1; 2 # 3; 2 # 3]; [1 # 12; 2 # 3; 3 # 4; 2 # 3]])
  = Q2R (1228331 # 1920000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_90 :
  RBP (Q2R (13 # 20)) 4%nat (weights_of [3 # 22; 7 # 22; 9 # 22; 3 # 22])
    (ranking_of [[1 # 6; 0 # 1; 0 # 1; 1 # 6]; [0 # 1; 1 # 1; 0 # 1; 1 # 6]; [0 # 1; 0 # 1; 1 # 1; 0 # 1]; [1 # 3; 5 # 12; 1 # 6; 0 # 1]; [0 # 1; 0 # 1; 0 # 1; 0 # 1]])
  = Q2R (60641 # 128000).
Proof. rewrite RBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_91 :
  RBP_IA (Q2R (1 # 5)) 4%nat (weights_of [1 # 6; 3 # 8; 3 # 8; 1 # 12])
    (ranking_of [[0 # 1; 11 # 12; 7 # 12; 1 # 1]; [7 # 12; 5 # 12; 7 # 12; 7 # 12]; [11 # 12; 7 # 12; 1 # 1; 7 # 12]])
  = Q2R (5629 # 9000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_92 :
  RBP_IA (Q2R (7 # 10)) 3%nat (weights_of [8 # 13; 3 # 13; 2 # 13])
    (ranking_of [[7 # 12; 7 # 12; 3 # 4]; [1 # 1; 1 # 6; 1 # 1]; [1 # 6; 1 # 1; 7 # 12]])
  = Q2R (829 # 2000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_93 :
  RBP_IA (Q2R (11 # 20)) 2%nat (weights_of [5 # 7; 2 # 7])
    (ranking_of [[11 # 12; 1 # 1]; [0 # 1; 11 # 12]; [0 # 1; 1 # 1]; [0 # 1; 1 # 4]; [2 # 3; 0 # 1]; [0 # 1; 2 # 3]])
  = Q2R (8899179 # 16000000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_94 :
  RBP_IA (Q2R (3 # 20)) 3%nat (weights_of [7 # 17; 2 # 17; 8 # 17])
    (ranking_of [[2 # 3; 1 # 1; 2 # 3]; [0 # 1; 2 # 3; 0 # 1]; [0 # 1; 1 # 3; 0 # 1]])
  = Q2R (2443 # 4000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_95 :
  RBP_IA (Q2R (13 # 20)) 4%nat (weights_of [6 # 23; 4 # 23; 4 # 23; 9 # 23])
    (ranking_of [[1 # 1; 1 # 1; 1 # 4; 0 # 1]; [0 # 1; 1 # 1; 7 # 12; 3 # 4]; [7 # 12; 7 # 12; 3 # 4; 0 # 1]; [7 # 12; 1 # 4; 0 # 1; 3 # 4]; [0 # 1; 1 # 1; 7 # 12; 1 # 1]])
  = Q2R (97651267 # 220800000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_96 :
  RBP_IA (Q2R (7 # 10)) 4%nat (weights_of [1 # 9; 7 # 27; 1 # 3; 8 # 27])
    (ranking_of [[0 # 1; 1 # 1; 0 # 1; 0 # 1]])
  = Q2R (7 # 90).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_97 :
  RBP_IA (Q2R (1 # 20)) 4%nat (weights_of [2 # 13; 3 # 13; 2 # 13; 6 # 13])
    (ranking_of [[0 # 1; 0 # 1; 1 # 1; 0 # 1]; [1 # 2; 1 # 2; 0 # 1; 1 # 2]; [5 # 12; 1 # 1; 0 # 1; 1 # 2]])
  = Q2R (104519 # 624000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_98 :
  RBP_IA (Q2R (19 # 20)) 4%nat (weights_of [1 # 20; 9 # 20; 2 # 5; 1 # 10])
    (ranking_of [[0 # 1; 1 # 3; 1 # 1; 0 # 1]; [1 # 12; 1 # 3; 1 # 12; 1 # 12]; [0 # 1; 1 # 1; 1 # 3; 11 # 12]; [11 # 12; 1 # 1; 1 # 1; 0 # 1]; [11 # 12; 1 # 12; 0 # 1; 11 # 12]; [1 # 3; 1 # 1; 1 # 1; 1 # 12]])
  = Q2R (225246043 # 1536000000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_99 :
  RBP_IA (Q2R (7 # 20)) 2%nat (weights_of [3 # 8; 5 # 8])
    (ranking_of [[0 # 1; 5 # 6]; [11 # 12; 1 # 1]; [11 # 12; 0 # 1]; [1 # 1; 0 # 1]])
  = Q2R (143221 # 240000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_100 :
  RBP_IA (Q2R (7 # 20)) 2%nat (weights_of [4 # 9; 5 # 9])
    (ranking_of [[1 # 3; 0 # 1]])
  = Q2R (13 # 135).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_101 :
  RBP_IA (Q2R (11 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 3]; [1 # 3]])
  = Q2R (93 # 400).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_102 :
  RBP_IA (Q2R (17 # 20)) 3%nat (weights_of [5 # 17; 8 # 17; 4 # 17])
    (ranking_of [[1 # 6; 0 # 1; 0 # 1]; [3 # 4; 0 # 1; 0 # 1]; [3 # 4; 1 # 1; 1 # 6]; [0 # 1; 1 # 1; 1 # 6]])
  = Q2R (439543 # 2720000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_103 :
  RBP_IA (Q2R (3 # 5)) 4%nat (weights_of [2 # 11; 5 # 22; 5 # 22; 4 # 11])
    (ranking_of [[1 # 1; 1 # 12; 0 # 1; 1 # 1]; [0 # 1; 1 # 3; 1 # 1; 0 # 1]; [5 # 12; 5 # 12; 0 # 1; 1 # 3]; [0 # 1; 0 # 1; 0 # 1; 1 # 3]])
  = Q2R (14477 # 41250).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_104 :
  RBP_IA (Q2R (3 # 10)) 2%nat (weights_of [1 # 5; 4 # 5])
    (ranking_of [[1 # 2; 11 # 12]])
  = Q2R (7 # 12).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_105 :
  RBP_IA (Q2R (2 # 5)) 4%nat (weights_of [1 # 2; 1 # 8; 1 # 4; 1 # 8])
    (ranking_of [[0 # 1; 1 # 4; 5 # 6; 0 # 1]; [0 # 1; 0 # 1; 5 # 6; 1 # 4]; [0 # 1; 1 # 4; 0 # 1; 1 # 1]])
  = Q2R (173 # 800).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_106 :
  RBP_IA (Q2R (2 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 12]; [1 # 3]; [0 # 1]])
  = Q2R (33 # 100).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_107 :
  RBP_IA (Q2R (1 # 5)) 3%nat (weights_of [2 # 11; 5 # 11; 4 # 11])
    (ranking_of [[1 # 4; 0 # 1; 1 # 3]; [1 # 1; 0 # 1; 2 # 3]; [1 # 1; 0 # 1; 1 # 3]; [0 # 1; 1 # 1; 0 # 1]])
  = Q2R (294 # 1375).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_108 :
  RBP_IA (Q2R (3 # 5)) 2%nat (weights_of [8 # 9; 1 # 9])
    (ranking_of [[1 # 12; 1 # 2]; [0 # 1; 0 # 1]; [1 # 12; 1 # 1]])
  = Q2R (53 # 675).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_109 :
  RBP_IA (Q2R (1 # 4)) 4%nat (weights_of [1 # 6; 1 # 3; 1 # 6; 1 # 3])
    (ranking_of [[5 # 12; 5 # 12; 1 # 1; 1 # 2]; [1 # 4; 5 # 12; 0 # 1; 5 # 12]; [1 # 4; 0 # 1; 0 # 1; 1 # 2]; [1 # 4; 5 # 12; 5 # 12; 0 # 1]])
  = Q2R (1471 # 3072).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_110 :
  RBP_IA (Q2R (7 # 20)) 4%nat (weights_of [4 # 9; 4 # 9; 1 # 18; 1 # 18])
    (ranking_of [[1 # 6; 1 # 1; 0 # 1; 0 # 1]; [1 # 1; 1 # 1; 3 # 4; 1 # 12]; [1 # 12; 0 # 1; 0 # 1; 0 # 1]; [1 # 12; 3 # 4; 1 # 6; 1 # 1]; [3 # 4; 1 # 1; 1 # 1; 0 # 1]; [1 # 1; 1 # 12; 1 # 12; 1 # 6]])
  = Q2R (7944491737 # 13824000000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_111 :
  RBP_IA (Q2R (19 # 20)) 4%nat (weights_of [1 # 17; 3 # 17; 6 # 17; 7 # 17])
    (ranking_of [[7 # 12; 1 # 1; 11 # 12; 0 # 1]; [1 # 1; 1 # 1; 0 # 1; 0 # 1]; [11 # 12; 0 # 1; 1 # 1; 1 # 1]; [11 # 12; 7 # 12; 11 # 12; 1 # 1]; [0 # 1; 7 # 12; 0 # 1; 7 # 12]])
  = Q2R (8294003 # 65280000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_112 :
  RBP_IA (Q2R (1 # 10)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 2; 1 # 1]; [0 # 1; 0 # 1]; [0 # 1; 0 # 1]; [1 # 12; 5 # 6]])
  = Q2R (54033 # 80000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_113 :
  RBP_IA (Q2R (1 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [1 # 12]; [1 # 12]; [1 # 1]; [1 # 1]])
  = Q2R (2574 # 3125).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_114 :
  RBP_IA (Q2R (4 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 2]; [1 # 1]; [1 # 2]; [1 # 6]; [1 # 1]; [1 # 2]])
  = Q2R (42727 # 93750).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_115 :
  RBP_IA (Q2R (1 # 5)) 3%nat (weights_of [3 # 8; 1 # 8; 1 # 2])
    (ranking_of [[0 # 1; 0 # 1; 1 # 1]; [1 # 6; 1 # 1; 0 # 1]; [1 # 6; 0 # 1; 1 # 6]; [1 # 2; 0 # 1; 0 # 1]; [1 # 6; 1 # 6; 1 # 6]; [5 # 12; 1 # 2; 1 # 2]])
  = Q2R (2181 # 5000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_116 :
  RBP_IA (Q2R (7 # 20)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 1; 1 # 1]; [1 # 1; 0 # 1]; [3 # 4; 11 # 12]; [11 # 12; 3 # 4]; [0 # 1; 0 # 1]; [1 # 1; 11 # 12]])
  = Q2R (1315737293 # 1536000000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_117 :
  RBP_IA (Q2R (13 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 6]; [2 # 3]; [0 # 1]; [5 # 12]; [5 # 12]; [1 # 1]])
  = Q2R (5067069 # 16000000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_118 :
  RBP_IA (Q2R (3 # 20)) 2%nat (weights_of [7 # 16; 9 # 16])
    (ranking_of [[1 # 4; 1 # 3]; [1 # 4; 0 # 1]; [0 # 1; 3 # 4]; [0 # 1; 0 # 1]])
  = Q2R (140471 # 512000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_119 :
  RBP_IA (Q2R (1 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 12]; [0 # 1]; [5 # 12]; [0 # 1]; [5 # 12]; [5 # 12]])
  = Q2R (60952399 # 153600000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_120 :
  RBP_IA (Q2R (9 # 10)) 2%nat (weights_of [7 # 9; 2 # 9])
    (ranking_of [[5 # 12; 5 # 12]])
  = Q2R (1 # 24).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_121 :
  RBP_IA (Q2R (3 # 20)) 3%nat (weights_of [3 # 7; 2 # 7; 2 # 7])
    (ranking_of [[1 # 1; 1 # 1; 1 # 1]; [11 # 12; 0 # 1; 1 # 12]; [2 # 3; 0 # 1; 11 # 12]; [2 # 3; 0 # 1; 0 # 1]])
  = Q2R (256037 # 280000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_122 :
  RBP_IA (Q2R (1 # 10)) 4%nat (weights_of [2 # 13; 6 # 13; 2 # 13; 3 # 13])
    (ranking_of [[0 # 1; 1 # 1; 1 # 3; 1 # 3]; [1 # 1; 0 # 1; 1 # 2; 1 # 3]])
  = Q2R (363 # 650).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_123 :
  RBP_IA (Q2R (11 # 20)) 4%nat (weights_of [9 # 25; 2 # 25; 6 # 25; 8 # 25])
    (ranking_of [[0 # 1; 1 # 2; 0 # 1; 0 # 1]; [1 # 1; 0 # 1; 5 # 12; 0 # 1]])
  = Q2R (2637 # 20000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_124 :
  RBP_IA (Q2R (3 # 4)) 3%nat (weights_of [4 # 9; 1 # 3; 2 # 9])
    (ranking_of [[0 # 1; 11 # 12; 1 # 2]; [11 # 12; 11 # 12; 11 # 12]; [0 # 1; 11 # 12; 11 # 12]; [11 # 12; 11 # 12; 0 # 1]; [0 # 1; 1 # 2; 11 # 12]])
  = Q2R (463 # 1024).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_125 :
  RBP_IA (Q2R (13 # 20)) 4%nat (weights_of [1 # 11; 7 # 22; 7 # 22; 3 # 11])
    (ranking_of [[1 # 3; 0 # 1; 1 # 3; 7 # 12]; [0 # 1; 1 # 1; 1 # 3; 1 # 3]; [1 # 3; 7 # 12; 1 # 3; 7 # 12]; [1 # 3; 1 # 3; 7 # 12; 0 # 1]; [1 # 3; 1 # 1; 0 # 1; 1 # 3]])
  = Q2R (36975029 # 105600000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_126 :
  RBP_IA (Q2R (13 # 20)) 3%nat (weights_of [1 # 3; 3 # 5; 1 # 15])
    (ranking_of [[3 # 4; 0 # 1; 3 # 4]; [3 # 4; 0 # 1; 3 # 4]; [0 # 1; 5 # 12; 1 # 1]; [3 # 4; 0 # 1; 0 # 1]; [5 # 12; 3 # 4; 3 # 4]])
  = Q2R (32719421 # 115200000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_127 :
  RBP_IA (Q2R (1 # 20)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 2; 0 # 1]; [11 # 12; 1 # 1]; [0 # 1; 11 # 12]; [1 # 1; 1 # 2]; [0 # 1; 1 # 1]])
  = Q2R (1818889 # 6400000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_128 :
  RBP_IA (Q2R (1 # 5)) 3%nat (weights_of [3 # 5; 1 # 10; 3 # 10])
    (ranking_of [[0 # 1; 3 # 4; 1 # 3]; [1 # 3; 1 # 3; 1 # 1]; [1 # 3; 5 # 12; 1 # 3]; [5 # 12; 5 # 12; 1 # 3]; [1 # 3; 1 # 1; 5 # 12]])
  = Q2R (11218 # 46875).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_129 :
  RBP_IA (Q2R (9 # 20)) 3%nat (weights_of [5 # 16; 9 # 16; 1 # 8])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 1]; [0 # 1; 1 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]])
  = Q2R (11979 # 128000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_130 :
  RBP_IA (Q2R (13 # 20)) 2%nat (weights_of [1 # 4; 3 # 4])
    (ranking_of [[0 # 1; 1 # 2]; [1 # 1; 1 # 2]; [1 # 12; 1 # 2]; [1 # 12; 0 # 1]])
  = Q2R (854973 # 2560000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_131 :
  RBP_IA (Q2R (1 # 4)) 4%nat (weights_of [9 # 29; 7 # 29; 7 # 29; 6 # 29])
    (ranking_of [[0 # 1; 11 # 12; 1 # 1; 0 # 1]; [1 # 1; 1 # 6; 0 # 1; 11 # 12]; [0 # 1; 1 # 1; 11 # 12; 1 # 6]; [11 # 12; 3 # 4; 0 # 1; 1 # 6]; [3 # 4; 3 # 4; 11 # 12; 0 # 1]; [11 # 12; 11 # 12; 0 # 1; 3 # 4]])
  = Q2R (113981 # 237568).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_132 :
  RBP_IA (Q2R (1 # 2)) 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]; [1 # 6]; [1 # 6]; [3 # 4]; [1 # 6]; [1 # 1]])
  = Q2R (97 # 192).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_133 :
  RBP_IA (Q2R (3 # 4)) 2%nat (weights_of [1 # 4; 3 # 4])
    (ranking_of [[5 # 12; 5 # 12]; [1 # 4; 0 # 1]])
  = Q2R (89 # 768).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_134 :
  RBP_IA (Q2R (13 # 20)) 3%nat (weights_of [3 # 14; 2 # 7; 1 # 2])
    (ranking_of [[1 # 1; 0 # 1; 0 # 1]; [3 # 4; 1 # 2; 1 # 1]; [0 # 1; 0 # 1; 1 # 1]; [1 # 2; 3 # 4; 1 # 2]])
  = Q2R (15467 # 40000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_135 :
  RBP_IA (Q2R (7 # 20)) 3%nat (weights_of [1 # 3; 1 # 3; 1 # 3])
    (ranking_of [[0 # 1; 1 # 12; 0 # 1]; [1 # 12; 1 # 1; 1 # 12]; [1 # 12; 1 # 12; 1 # 12]; [0 # 1; 1 # 12; 1 # 12]; [1 # 12; 1 # 1; 0 # 1]; [1 # 12; 1 # 1; 0 # 1]])
  = Q2R (91750321 # 768000000).
Proof. rewrite RBP_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_136 :
  ERR_IA 3%nat (weights_of [7 # 15; 7 # 15; 1 # 15])
    (ranking_of [[0 # 1; 1 # 2; 1 # 2]])
  = Q2R (4 # 15).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_137 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[7 # 12]])
  = Q2R (7 # 12).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_138 :
  ERR_IA 3%nat (weights_of [7 # 11; 2 # 11; 2 # 11])
    (ranking_of [[0 # 1; 0 # 1; 1 # 6]; [1 # 3; 0 # 1; 0 # 1]])
  = Q2R (3 # 22).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_139 :
  ERR_IA 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[0 # 1; 0 # 1]; [1 # 4; 0 # 1]; [1 # 12; 0 # 1]; [0 # 1; 7 # 12]; [0 # 1; 1 # 1]])
  = Q2R (25 # 144).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_140 :
  ERR_IA 4%nat (weights_of [5 # 18; 2 # 9; 7 # 18; 1 # 9])
    (ranking_of [[1 # 1; 3 # 4; 1 # 6; 1 # 2]; [1 # 1; 1 # 6; 1 # 2; 1 # 6]; [0 # 1; 1 # 2; 0 # 1; 1 # 1]; [1 # 6; 1 # 6; 1 # 1; 1 # 2]; [0 # 1; 0 # 1; 1 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1; 0 # 1]])
  = Q2R (3731 # 5184).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_141 :
  ERR_IA 4%nat (weights_of [7 # 26; 2 # 13; 9 # 26; 3 # 13])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1; 0 # 1]; [7 # 12; 1 # 1; 1 # 2; 7 # 12]; [7 # 12; 0 # 1; 7 # 12; 0 # 1]])
  = Q2R (4097 # 11232).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_142 :
  ERR_IA 4%nat (weights_of [6 # 25; 9 # 25; 2 # 25; 8 # 25])
    (ranking_of [[2 # 3; 1 # 3; 2 # 3; 1 # 3]; [1 # 1; 1 # 3; 2 # 3; 1 # 3]; [5 # 12; 5 # 12; 1 # 1; 1 # 3]; [0 # 1; 0 # 1; 1 # 1; 2 # 3]; [5 # 12; 0 # 1; 2 # 3; 0 # 1]])
  = Q2R (1258 # 2025).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_143 :
  ERR_IA 2%nat (weights_of [1 # 3; 2 # 3])
    (ranking_of [[0 # 1; 1 # 12]; [0 # 1; 1 # 1]; [0 # 1; 3 # 4]; [1 # 1; 1 # 12]; [1 # 12; 1 # 12]; [1 # 12; 3 # 4]])
  = Q2R (4 # 9).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_144 :
  ERR_IA 4%nat (weights_of [1 # 3; 1 # 6; 1 # 6; 1 # 3])
    (ranking_of [[0 # 1; 0 # 1; 5 # 6; 0 # 1]; [3 # 4; 2 # 3; 0 # 1; 0 # 1]; [1 # 1; 3 # 4; 3 # 4; 1 # 1]; [1 # 1; 3 # 4; 3 # 4; 0 # 1]; [1 # 1; 0 # 1; 0 # 1; 0 # 1]])
  = Q2R (371 # 768).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_145 :
  ERR_IA 3%nat (weights_of [8 # 13; 2 # 13; 3 # 13])
    (ranking_of [[11 # 12; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 6]; [1 # 1; 11 # 12; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]; [1 # 1; 1 # 1; 0 # 1]])
  = Q2R (76 # 117).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_146 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [11 # 12]; [0 # 1]])
  = Q2R (275 # 288).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_147 :
  ERR_IA 2%nat (weights_of [3 # 7; 4 # 7])
    (ranking_of [[0 # 1; 1 # 12]; [2 # 3; 5 # 6]])
  = Q2R (103 # 252).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_148 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [0 # 1]; [2 # 3]; [3 # 4]; [11 # 12]; [2 # 3]])
  = Q2R (73229 # 77760).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_149 :
  ERR_IA 3%nat (weights_of [9 # 16; 1 # 16; 3 # 8])
    (ranking_of [[2 # 3; 0 # 1; 1 # 1]; [1 # 1; 11 # 12; 1 # 6]; [2 # 3; 1 # 1; 11 # 12]; [0 # 1; 1 # 1; 0 # 1]])
  = Q2R (1007 # 1152).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_150 :
  ERR_IA 3%nat (weights_of [2 # 9; 1 # 2; 5 # 18])
    (ranking_of [[0 # 1; 7 # 12; 0 # 1]; [7 # 12; 7 # 12; 0 # 1]; [1 # 1; 0 # 1; 0 # 1]; [5 # 6; 0 # 1; 0 # 1]; [1 # 1; 1 # 12; 1 # 12]; [1 # 1; 7 # 12; 1 # 1]])
  = Q2R (125501 # 248832).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_151 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 4]; [1 # 4]; [7 # 12]; [1 # 4]; [7 # 12]; [1 # 1]])
  = Q2R (1025 # 2048).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_152 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [0 # 1]; [0 # 1]; [0 # 1]; [0 # 1]])
  = Q2R (0 # 1).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_153 :
  ERR_IA 3%nat (weights_of [1 # 9; 4 # 9; 4 # 9])
    (ranking_of [[1 # 1; 2 # 3; 5 # 12]])
  = Q2R (16 # 27).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_154 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [1 # 4]])
  = Q2R (89 # 96).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_155 :
  ERR_IA 3%nat (weights_of [9 # 16; 3 # 8; 1 # 16])
    (ranking_of [[0 # 1; 1 # 2; 1 # 1]; [1 # 2; 1 # 1; 3 # 4]; [1 # 2; 1 # 2; 1 # 1]; [3 # 4; 1 # 2; 0 # 1]; [3 # 4; 0 # 1; 0 # 1]; [1 # 2; 1 # 2; 1 # 2]])
  = Q2R (11543 # 20480).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_156 :
  ERR_IA 4%nat (weights_of [4 # 13; 3 # 26; 3 # 13; 9 # 26])
    (ranking_of [[11 # 12; 11 # 12; 11 # 12; 2 # 3]; [1 # 1; 1 # 1; 0 # 1; 0 # 1]; [0 # 1; 1 # 1; 1 # 1; 1 # 1]])
  = Q2R (557 # 624).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_157 :
  ERR_IA 2%nat (weights_of [4 # 7; 3 # 7])
    (ranking_of [[0 # 1; 1 # 1]; [1 # 1; 0 # 1]; [0 # 1; 0 # 1]])
  = Q2R (5 # 7).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_158 :
  ERR_IA 4%nat (weights_of [8 # 29; 8 # 29; 6 # 29; 7 # 29])
    (ranking_of [[0 # 1; 1 # 1; 11 # 12; 11 # 12]; [1 # 1; 2 # 3; 2 # 3; 0 # 1]; [1 # 6; 0 # 1; 1 # 1; 1 # 1]; [0 # 1; 0 # 1; 2 # 3; 11 # 12]; [0 # 1; 2 # 3; 0 # 1; 2 # 3]; [1 # 1; 11 # 12; 1 # 6; 1 # 6]])
  = Q2R (73 # 87).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_159 :
  ERR_IA 3%nat (weights_of [8 # 17; 2 # 17; 7 # 17])
    (ranking_of [[1 # 1; 1 # 3; 1 # 6]; [0 # 1; 5 # 6; 5 # 6]; [1 # 1; 1 # 1; 1 # 3]; [1 # 1; 0 # 1; 0 # 1]; [1 # 3; 0 # 1; 1 # 6]])
  = Q2R (2813 # 3672).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_160 :
  ERR_IA 3%nat (weights_of [4 # 13; 4 # 13; 5 # 13])
    (ranking_of [[1 # 4; 1 # 3; 0 # 1]; [1 # 4; 11 # 12; 11 # 12]; [1 # 4; 11 # 12; 0 # 1]; [1 # 1; 11 # 12; 0 # 1]])
  = Q2R (2753 # 5184).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_161 :
  ERR_IA 4%nat (weights_of [9 # 28; 1 # 4; 1 # 7; 2 # 7])
    (ranking_of [[1 # 3; 0 # 1; 0 # 1; 0 # 1]; [0 # 1; 7 # 12; 1 # 3; 1 # 3]; [1 # 3; 7 # 12; 1 # 3; 0 # 1]; [7 # 12; 0 # 1; 1 # 1; 1 # 1]; [7 # 12; 1 # 3; 0 # 1; 0 # 1]])
  = Q2R (269 # 672).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_162 :
  ERR_IA 2%nat (weights_of [2 # 11; 9 # 11])
    (ranking_of [[1 # 1; 5 # 12]])
  = Q2R (23 # 44).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_163 :
  ERR_IA 2%nat (weights_of [9 # 17; 8 # 17])
    (ranking_of [[0 # 1; 2 # 3]; [1 # 6; 0 # 1]])
  = Q2R (73 # 204).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_164 :
  ERR_IA 4%nat (weights_of [5 # 13; 3 # 13; 1 # 13; 4 # 13])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1; 0 # 1]; [3 # 4; 3 # 4; 1 # 4; 3 # 4]; [0 # 1; 1 # 1; 0 # 1; 0 # 1]; [1 # 4; 0 # 1; 3 # 4; 1 # 6]])
  = Q2R (493 # 1248).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_165 :
  ERR_IA 2%nat (weights_of [3 # 4; 1 # 4])
    (ranking_of [[0 # 1; 1 # 6]; [1 # 1; 0 # 1]; [1 # 4; 1 # 6]; [1 # 6; 1 # 4]])
  = Q2R (3035 # 6912).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_166 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]; [1 # 1]; [0 # 1]; [1 # 12]; [0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_167 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 2]; [1 # 2]; [3 # 4]; [0 # 1]])
  = Q2R (73 # 192).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_168 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 6]; [2 # 3]; [1 # 1]])
  = Q2R (49 # 54).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_169 :
  ERR_IA 4%nat (weights_of [7 # 29; 7 # 29; 9 # 29; 6 # 29])
    (ranking_of [[1 # 3; 1 # 3; 7 # 12; 7 # 12]; [1 # 2; 0 # 1; 1 # 1; 1 # 1]; [0 # 1; 1 # 3; 0 # 1; 7 # 12]; [0 # 1; 1 # 1; 7 # 12; 7 # 12]])
  = Q2R (4105 # 6264).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_170 :
  ERR_IA 2%nat (weights_of [4 # 5; 1 # 5])
    (ranking_of [[1 # 4; 3 # 4]; [1 # 1; 0 # 1]; [0 # 1; 1 # 4]; [3 # 4; 0 # 1]; [1 # 4; 0 # 1]; [1 # 1; 0 # 1]])
  = Q2R (157 # 240).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_171 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]; [1 # 1]; [0 # 1]; [0 # 1]])
  = Q2R (7 # 8).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_172 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_173 :
  ERR_IA 2%nat (weights_of [5 # 7; 2 # 7])
    (ranking_of [[3 # 4; 3 # 4]; [0 # 1; 1 # 3]; [0 # 1; 0 # 1]; [1 # 3; 1 # 1]])
  = Q2R (265 # 336).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_174 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 6]])
  = Q2R (5 # 6).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_175 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_176 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]; [5 # 12]; [5 # 12]; [5 # 12]; [1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_177 :
  ERR_IA 2%nat (weights_of [9 # 10; 1 # 10])
    (ranking_of [[1 # 6; 1 # 1]; [1 # 1; 0 # 1]; [1 # 4; 1 # 6]; [5 # 6; 1 # 1]; [1 # 4; 0 # 1]])
  = Q2R (5 # 8).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_178 :
  ERR_IA 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 6]; [1 # 1]; [1 # 1]; [1 # 1]; [1 # 6]])
  = Q2R (7 # 12).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_179 :
  ERR_IA 3%nat (weights_of [2 # 11; 5 # 11; 4 # 11])
    (ranking_of [[7 # 12; 0 # 1; 0 # 1]; [7 # 12; 3 # 4; 3 # 4]])
  = Q2R (689 # 1584).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_180 :
  ERR_IA 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[1 # 1; 1 # 2]; [7 # 12; 1 # 1]; [1 # 2; 0 # 1]; [0 # 1; 1 # 2]; [0 # 1; 1 # 1]; [7 # 12; 7 # 12]])
  = Q2R (11 # 12).
Proof. rewrite ERR_IA_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_181 :
  NRBP (Q2R (9 # 10)) (Q2R (11 # 20)) 2%nat (weights_of [5 # 14; 9 # 14])
    (ranking_of [[5 # 6; 0 # 1]; [5 # 6; 1 # 1]; [7 # 12; 0 # 1]; [1 # 2; 0 # 1]])
  = Q2R (105587023 # 48000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_182 :
  NRBP (Q2R (1 # 20)) (Q2R (1 # 20)) 3%nat (weights_of [1 # 11; 2 # 11; 8 # 11])
    (ranking_of [[1 # 6; 1 # 6; 0 # 1]])
  = Q2R (1 # 3).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_183 :
  NRBP (Q2R (9 # 20)) (Q2R (11 # 20)) 3%nat (weights_of [4 # 9; 1 # 6; 7 # 18])
    (ranking_of [[1 # 1; 1 # 3; 0 # 1]; [7 # 12; 7 # 12; 0 # 1]])
  = Q2R (3767 # 2400).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_184 :
  NRBP (Q2R (4 # 5)) (Q2R (3 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 6]; [1 # 3]; [7 # 12]; [1 # 6]; [1 # 3]])
  = Q2R (1939 # 9375).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_185 :
  NRBP (Q2R (3 # 20)) (Q2R (17 # 20)) 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[0 # 1; 7 # 12]; [0 # 1; 1 # 12]; [5 # 12; 7 # 12]; [0 # 1; 1 # 1]; [1 # 1; 5 # 12]; [1 # 1; 0 # 1]])
  = Q2R (36554820977 # 61440000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_186 :
  NRBP (Q2R (1 # 4)) (Q2R (1 # 10)) 2%nat (weights_of [2 # 5; 3 # 5])
    (ranking_of [[1 # 1; 1 # 1]; [7 # 12; 1 # 3]; [1 # 1; 1 # 3]; [1 # 3; 0 # 1]; [1 # 3; 1 # 1]])
  = Q2R (5839997 # 2560000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_187 :
  NRBP (Q2R (7 # 20)) (Q2R (4 # 5)) 4%nat (weights_of [4 # 17; 4 # 17; 9 # 34; 9 # 34])
    (ranking_of [[0 # 1; 3 # 4; 0 # 1; 3 # 4]])
  = Q2R (3 # 2).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_188 :
  NRBP (Q2R (1 # 5)) (Q2R (1 # 5)) 2%nat (weights_of [1 # 4; 3 # 4])
    (ranking_of [[11 # 12; 0 # 1]])
  = Q2R (11 # 12).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_189 :
  NRBP (Q2R (2 # 5)) (Q2R (2 # 5)) 4%nat (weights_of [2 # 17; 6 # 17; 4 # 17; 5 # 17])
    (ranking_of [[1 # 12; 0 # 1; 1 # 1; 0 # 1]; [1 # 1; 1 # 1; 5 # 6; 1 # 3]])
  = Q2R (617 # 300).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_190 :
  NRBP (Q2R (13 # 20)) (Q2R (9 # 20)) 4%nat (weights_of [3 # 7; 1 # 7; 1 # 7; 2 # 7])
    (ranking_of [[0 # 1; 1 # 1; 1 # 1; 0 # 1]; [0 # 1; 3 # 4; 0 # 1; 1 # 1]; [1 # 1; 0 # 1; 1 # 2; 0 # 1]; [0 # 1; 1 # 1; 3 # 4; 3 # 4]; [3 # 4; 3 # 4; 0 # 1; 3 # 4]; [0 # 1; 1 # 1; 3 # 4; 3 # 4]])
  = Q2R (1992425203603 # 512000000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_191 :
  NRBP (Q2R (13 # 20)) (Q2R (3 # 5)) 2%nat (weights_of [1 # 5; 4 # 5])
    (ranking_of [[11 # 12; 0 # 1]; [0 # 1; 11 # 12]; [11 # 12; 0 # 1]; [0 # 1; 0 # 1]; [5 # 12; 0 # 1]])
  = Q2R (4030361 # 2400000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_192 :
  NRBP (Q2R (1 # 10)) (Q2R (7 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 6]])
  = Q2R (5 # 6).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_193 :
  NRBP (Q2R (3 # 10)) (Q2R (9 # 20)) 2%nat (weights_of [2 # 11; 9 # 11])
    (ranking_of [[5 # 6; 5 # 6]; [5 # 12; 0 # 1]; [0 # 1; 0 # 1]; [5 # 6; 0 # 1]; [0 # 1; 1 # 1]])
  = Q2R (4192027 # 2400000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_194 :
  NRBP (Q2R (7 # 20)) (Q2R (1 # 5)) 4%nat (weights_of [4 # 13; 1 # 13; 5 # 13; 3 # 13])
    (ranking_of [[0 # 1; 1 # 1; 5 # 6; 0 # 1]; [2 # 3; 5 # 6; 0 # 1; 5 # 6]; [5 # 6; 1 # 12; 0 # 1; 1 # 12]])
  = Q2R (80641 # 30000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_195 :
  NRBP (Q2R (3 # 4)) (Q2R (7 # 10)) 4%nat (weights_of [9 # 20; 1 # 5; 1 # 10; 1 # 4])
    (ranking_of [[0 # 1; 0 # 1; 2 # 3; 2 # 3]; [0 # 1; 1 # 4; 1 # 1; 1 # 12]; [1 # 12; 1 # 4; 1 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 1; 0 # 1]])
  = Q2R (367807 # 192000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_196 :
  NRBP (Q2R (1 # 20)) (Q2R (3 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]])
  = Q2R (0 # 1).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_197 :
  NRBP (Q2R (13 # 20)) (Q2R (1 # 5)) 4%nat (weights_of [5 # 22; 1 # 11; 9 # 22; 3 # 11])
    (ranking_of [[11 # 12; 0 # 1; 2 # 3; 2 # 3]; [1 # 1; 11 # 12; 0 # 1; 11 # 12]; [0 # 1; 11 # 12; 0 # 1; 2 # 3]; [0 # 1; 11 # 12; 2 # 3; 1 # 1]; [0 # 1; 1 # 1; 1 # 1; 1 # 1]])
  = Q2R (15811073 # 3125000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_198 :
  NRBP (Q2R (1 # 20)) (Q2R (9 # 20)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[5 # 12; 1 # 2]; [5 # 12; 1 # 2]])
  = Q2R (1507 # 1600).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_199 :
  NRBP (Q2R (19 # 20)) (Q2R (1 # 2)) 3%nat (weights_of [3 # 14; 4 # 7; 3 # 14])
    (ranking_of [[0 # 1; 5 # 12; 5 # 12]; [1 # 6; 5 # 12; 1 # 1]])
  = Q2R (799 # 480).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_200 :
  NRBP (Q2R (1 # 2)) (Q2R (2 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 6]; [0 # 1]])
  = Q2R (1 # 6).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_201 :
  NRBP (Q2R (3 # 4)) (Q2R (4 # 5)) 1%nat (weights_of [1 # 1])
    (ranking_of [[7 # 12]; [1 # 1]; [7 # 12]])
  = Q2R (3583 # 4800).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_202 :
  NRBP (Q2R (1 # 4)) (Q2R (19 # 20)) 4%nat (weights_of [7 # 23; 5 # 23; 3 # 23; 8 # 23])
    (ranking_of [[1 # 12; 1 # 12; 1 # 12; 1 # 12]; [1 # 12; 1 # 12; 1 # 3; 0 # 1]; [1 # 12; 1 # 12; 1 # 3; 0 # 1]; [0 # 1; 0 # 1; 1 # 3; 0 # 1]])
  = Q2R (173907 # 512000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_203 :
  NRBP (Q2R (1 # 4)) (Q2R (3 # 4)) 3%nat (weights_of [8 # 15; 1 # 15; 2 # 5])
    (ranking_of [[2 # 3; 2 # 3; 2 # 3]; [0 # 1; 5 # 6; 5 # 6]; [1 # 1; 0 # 1; 0 # 1]; [2 # 3; 2 # 3; 1 # 3]; [2 # 3; 1 # 1; 1 # 3]; [1 # 3; 0 # 1; 1 # 1]])
  = Q2R (417113 # 196608).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_204 :
  NRBP (Q2R (3 # 20)) (Q2R (1 # 20)) 3%nat (weights_of [5 # 14; 3 # 7; 3 # 14])
    (ranking_of [[0 # 1; 1 # 1; 1 # 4]; [0 # 1; 1 # 4; 1 # 4]; [0 # 1; 0 # 1; 3 # 4]; [0 # 1; 1 # 1; 3 # 4]])
  = Q2R (343474139 # 256000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_205 :
  NRBP (Q2R (3 # 5)) (Q2R (1 # 10)) 4%nat (weights_of [1 # 8; 3 # 16; 1 # 8; 9 # 16])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1; 0 # 1]; [1 # 3; 1 # 6; 0 # 1; 0 # 1]; [1 # 1; 1 # 1; 1 # 1; 1 # 12]; [1 # 12; 1 # 12; 1 # 1; 1 # 6]])
  = Q2R (39849 # 25000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_206 :
  NRBP (Q2R (13 # 20)) (Q2R (1 # 10)) 2%nat (weights_of [2 # 5; 3 # 5])
    (ranking_of [[0 # 1; 1 # 12]; [1 # 12; 0 # 1]; [1 # 12; 3 # 4]; [0 # 1; 0 # 1]; [0 # 1; 0 # 1]])
  = Q2R (727 # 1600).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_207 :
  NRBP (Q2R (4 # 5)) (Q2R (3 # 4)) 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[0 # 1; 1 # 1]; [1 # 3; 1 # 1]])
  = Q2R (22 # 15).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_208 :
  NRBP (Q2R (4 # 5)) (Q2R (1 # 10)) 2%nat (weights_of [3 # 7; 4 # 7])
    (ranking_of [[3 # 4; 3 # 4]; [0 # 1; 0 # 1]; [11 # 12; 3 # 4]; [11 # 12; 3 # 4]; [3 # 4; 0 # 1]; [3 # 4; 11 # 12]])
  = Q2R (14669391 # 3906250).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_209 :
  NRBP (Q2R (1 # 10)) (Q2R (9 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [0 # 1]])
  = Q2R (0 # 1).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_210 :
  NRBP (Q2R (4 # 5)) (Q2R (1 # 4)) 4%nat (weights_of [6 # 23; 8 # 23; 2 # 23; 7 # 23])
    (ranking_of [[5 # 6; 1 # 1; 7 # 12; 5 # 12]; [0 # 1; 7 # 12; 1 # 1; 5 # 6]])
  = Q2R (257 # 60).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_211 :
  NRBP (Q2R (7 # 10)) (Q2R (2 # 5)) 2%nat (weights_of [3 # 5; 2 # 5])
    (ranking_of [[1 # 1; 1 # 1]; [5 # 6; 0 # 1]])
  = Q2R (47 # 20).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_212 :
  NRBP (Q2R (3 # 5)) (Q2R (1 # 5)) 3%nat (weights_of [4 # 9; 2 # 9; 1 # 3])
    (ranking_of [[1 # 6; 0 # 1; 0 # 1]; [1 # 6; 1 # 6; 0 # 1]])
  = Q2R (26 # 75).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_213 :
  NRBP (Q2R (3 # 20)) (Q2R (3 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 2]; [1 # 2]; [0 # 1]])
  = Q2R (83 # 160).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_214 :
  NRBP (Q2R (3 # 10)) (Q2R (17 # 20)) 4%nat (weights_of [5 # 22; 2 # 11; 2 # 11; 9 # 22])
    (ranking_of [[0 # 1; 7 # 12; 0 # 1; 7 # 12]])
  = Q2R (7 # 6).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_215 :
  NRBP (Q2R (1 # 5)) (Q2R (7 # 20)) 4%nat (weights_of [1 # 9; 4 # 9; 2 # 9; 2 # 9])
    (ranking_of [[1 # 1; 1 # 6; 1 # 1; 11 # 12]; [11 # 12; 2 # 3; 2 # 3; 0 # 1]; [1 # 6; 11 # 12; 0 # 1; 0 # 1]])
  = Q2R (407297 # 120000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_216 :
  NRBP (Q2R (4 # 5)) (Q2R (11 # 20)) 2%nat (weights_of [3 # 5; 2 # 5])
    (ranking_of [[1 # 1; 1 # 4]; [1 # 4; 1 # 12]; [0 # 1; 5 # 12]; [5 # 12; 0 # 1]; [1 # 12; 0 # 1]; [0 # 1; 1 # 12]])
  = Q2R (575312 # 390625).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_217 :
  NRBP (Q2R (1 # 5)) (Q2R (1 # 4)) 4%nat (weights_of [2 # 11; 4 # 11; 7 # 22; 3 # 22])
    (ranking_of [[0 # 1; 1 # 3; 1 # 1; 7 # 12]; [7 # 12; 0 # 1; 5 # 12; 0 # 1]; [0 # 1; 0 # 1; 0 # 1; 1 # 1]; [1 # 1; 1 # 3; 5 # 12; 7 # 12]; [0 # 1; 0 # 1; 0 # 1; 5 # 12]])
  = Q2R (205307 # 96000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_218 :
  NRBP (Q2R (19 # 20)) (Q2R (11 # 20)) 3%nat (weights_of [7 # 19; 9 # 19; 3 # 19])
    (ranking_of [[3 # 4; 5 # 12; 1 # 1]; [0 # 1; 2 # 3; 5 # 12]; [0 # 1; 0 # 1; 0 # 1]])
  = Q2R (12623 # 4800).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_219 :
  NRBP (Q2R (1 # 20)) (Q2R (9 # 20)) 3%nat (weights_of [9 # 13; 2 # 13; 2 # 13])
    (ranking_of [[2 # 3; 3 # 4; 2 # 3]; [1 # 1; 1 # 1; 2 # 3]; [0 # 1; 1 # 1; 0 # 1]; [3 # 4; 2 # 3; 2 # 3]])
  = Q2R (414238147 # 192000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_220 :
  NRBP (Q2R (7 # 10)) (Q2R (2 # 5)) 3%nat (weights_of [3 # 13; 7 # 13; 3 # 13])
    (ranking_of [[5 # 6; 1 # 1; 5 # 12]; [1 # 1; 5 # 12; 1 # 2]; [0 # 1; 1 # 2; 1 # 1]])
  = Q2R (8299 # 2500).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_221 :
  NRBP (Q2R (9 # 10)) (Q2R (7 # 10)) 4%nat (weights_of [3 # 13; 9 # 26; 3 # 13; 5 # 26])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1; 7 # 12]; [0 # 1; 1 # 1; 0 # 1; 0 # 1]; [0 # 1; 5 # 6; 5 # 6; 1 # 1]; [0 # 1; 2 # 3; 2 # 3; 7 # 12]; [5 # 6; 5 # 6; 2 # 3; 7 # 12]; [5 # 6; 2 # 3; 2 # 3; 5 # 6]])
  = Q2R (21649700591 # 6000000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_222 :
  NRBP (Q2R (3 # 5)) (Q2R (3 # 20)) 3%nat (weights_of [2 # 7; 1 # 14; 9 # 14])
    (ranking_of [[1 # 1; 1 # 4; 1 # 12]; [1 # 1; 1 # 1; 1 # 4]])
  = Q2R (2977 # 1200).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_223 :
  NRBP (Q2R (4 # 5)) (Q2R (1 # 4)) 2%nat (weights_of [3 # 7; 4 # 7])
    (ranking_of [[7 # 12; 0 # 1]; [1 # 1; 1 # 3]; [1 # 3; 1 # 1]; [1 # 3; 0 # 1]])
  = Q2R (1061 # 500).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_224 :
  NRBP (Q2R (11 # 20)) (Q2R (3 # 20)) 4%nat (weights_of [1 # 3; 1 # 2; 1 # 12; 1 # 12])
    (ranking_of [[0 # 1; 2 # 3; 1 # 3; 1 # 3]; [2 # 3; 1 # 1; 1 # 1; 1 # 1]; [1 # 3; 1 # 1; 1 # 3; 0 # 1]; [1 # 3; 1 # 3; 0 # 1; 1 # 1]; [0 # 1; 1 # 1; 0 # 1; 1 # 3]; [0 # 1; 2 # 3; 2 # 3; 2 # 3]])
  = Q2R (58267478974927 # 15360000000000).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_225 :
  NRBP (Q2R (7 # 20)) (Q2R (3 # 4)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[0 # 1; 1 # 1]; [1 # 12; 11 # 12]; [1 # 1; 1 # 12]; [11 # 12; 1 # 12]; [0 # 1; 0 # 1]])
  = Q2R (1404703 # 1228800).
Proof. rewrite NRBP_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_226 :
  CT (Q2R (3 # 20)) (Q2R (1 # 1)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[0 # 1; 1 # 1]; [11 # 12; 1 # 1]; [11 # 12; 1 # 3]])
  = Q2R (1237 # 1440).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_227 :
  CT (Q2R (1 # 10)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]])
  = Q2R (3 # 4).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_228 :
  CT (Q2R (4 # 5)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 6]])
  = Q2R (1 # 12).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_229 :
  CT (Q2R (3 # 20)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 2]; [0 # 1]; [1 # 2]; [1 # 2]; [3 # 4]])
  = Q2R (77 # 120).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_230 :
  CT (Q2R (3 # 5)) (Q2R (1 # 1)) 4%nat (weights_of [1 # 12; 1 # 4; 3 # 8; 7 # 24])
    (ranking_of [[1 # 2; 1 # 2; 0 # 1; 0 # 1]])
  = Q2R (1 # 6).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_231 :
  CT (Q2R (13 # 20)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 12]; [1 # 1]; [0 # 1]])
  = Q2R (71 # 120).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_232 :
  CT (Q2R (7 # 20)) (Q2R (1 # 1)) 4%nat (weights_of [3 # 14; 1 # 14; 5 # 14; 5 # 14])
    (ranking_of [[11 # 12; 5 # 6; 1 # 3; 0 # 1]; [11 # 12; 1 # 1; 1 # 1; 5 # 6]; [1 # 3; 0 # 1; 1 # 3; 11 # 12]; [11 # 12; 0 # 1; 1 # 3; 0 # 1]; [0 # 1; 1 # 3; 5 # 6; 1 # 1]])
  = Q2R (3217 # 4032).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_233 :
  CT (Q2R (9 # 10)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 12]; [1 # 12]; [0 # 1]; [0 # 1]; [0 # 1]])
  = Q2R (7 # 80).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_234 :
  CT (Q2R (4 # 5)) (Q2R (1 # 1)) 4%nat (weights_of [2 # 7; 3 # 7; 1 # 7; 1 # 7])
    (ranking_of [[1 # 1; 1 # 6; 1 # 1; 1 # 1]; [1 # 1; 1 # 6; 0 # 1; 0 # 1]; [11 # 12; 1 # 1; 0 # 1; 1 # 4]; [0 # 1; 1 # 6; 0 # 1; 1 # 6]; [1 # 4; 11 # 12; 1 # 6; 0 # 1]; [11 # 12; 0 # 1; 11 # 12; 11 # 12]])
  = Q2R (459 # 700).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_235 :
  CT (Q2R (13 # 20)) (Q2R (1 # 1)) 3%nat (weights_of [5 # 12; 1 # 2; 1 # 12])
    (ranking_of [[0 # 1; 1 # 1; 1 # 12]; [2 # 3; 2 # 3; 0 # 1]])
  = Q2R (31 # 48).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_236 :
  CT (Q2R (3 # 20)) (Q2R (1 # 1)) 2%nat (weights_of [9 # 11; 2 # 11])
    (ranking_of [[5 # 6; 0 # 1]; [0 # 1; 0 # 1]; [0 # 1; 0 # 1]; [0 # 1; 5 # 6]; [5 # 6; 0 # 1]])
  = Q2R (1103 # 1320).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_237 :
  CT (Q2R (9 # 10)) (Q2R (1 # 1)) 4%nat (weights_of [1 # 3; 1 # 7; 8 # 21; 1 # 7])
    (ranking_of [[1 # 3; 1 # 3; 3 # 4; 3 # 4]; [1 # 2; 1 # 1; 3 # 4; 1 # 2]; [1 # 1; 1 # 3; 1 # 1; 1 # 3]; [1 # 1; 0 # 1; 1 # 1; 3 # 4]])
  = Q2R (923 # 1575).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_238 :
  CT (Q2R (7 # 10)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [7 # 12]; [1 # 2]; [1 # 1]])
  = Q2R (41 # 120).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_239 :
  CT (Q2R (1 # 10)) (Q2R (1 # 1)) 4%nat (weights_of [7 # 22; 3 # 11; 1 # 22; 4 # 11])
    (ranking_of [[5 # 12; 1 # 2; 1 # 1; 5 # 12]; [1 # 2; 1 # 1; 1 # 2; 1 # 1]; [1 # 2; 0 # 1; 0 # 1; 0 # 1]; [1 # 2; 5 # 12; 1 # 2; 1 # 2]])
  = Q2R (1907 # 2200).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_240 :
  CT (Q2R (3 # 5)) (Q2R (1 # 1)) 3%nat (weights_of [3 # 20; 9 # 20; 2 # 5])
    (ranking_of [[1 # 1; 2 # 3; 1 # 2]])
  = Q2R (13 # 20).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_241 :
  CT (Q2R (1 # 4)) (Q2R (1 # 1)) 3%nat (weights_of [9 # 22; 4 # 11; 5 # 22])
    (ranking_of [[1 # 3; 1 # 3; 5 # 12]; [0 # 1; 0 # 1; 0 # 1]; [5 # 12; 1 # 3; 1 # 6]])
  = Q2R (153 # 352).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_242 :
  CT (Q2R (1 # 2)) (Q2R (1 # 1)) 3%nat (weights_of [2 # 3; 1 # 6; 1 # 6])
    (ranking_of [[2 # 3; 0 # 1; 5 # 6]; [1 # 1; 5 # 6; 0 # 1]; [2 # 3; 5 # 6; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]])
  = Q2R (91 # 108).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_243 :
  CT (Q2R (3 # 4)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[7 # 12]; [11 # 12]; [1 # 12]])
  = Q2R (67 # 96).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_244 :
  CT (Q2R (1 # 20)) (Q2R (1 # 1)) 4%nat (weights_of [8 # 27; 5 # 27; 1 # 3; 5 # 27])
    (ranking_of [[1 # 1; 3 # 4; 0 # 1; 1 # 3]; [0 # 1; 0 # 1; 0 # 1; 1 # 3]; [1 # 3; 1 # 1; 0 # 1; 1 # 3]])
  = Q2R (11731 # 19440).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_245 :
  CT (Q2R (19 # 20)) (Q2R (1 # 1)) 2%nat (weights_of [1 # 3; 2 # 3])
    (ranking_of [[0 # 1; 7 # 12]; [0 # 1; 7 # 12]; [11 # 12; 7 # 12]; [11 # 12; 7 # 12]])
  = Q2R (4357 # 8640).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_246 :
  CT (Q2R (9 # 20)) (Q2R (1 # 1)) 3%nat (weights_of [1 # 12; 5 # 12; 1 # 2])
    (ranking_of [[0 # 1; 5 # 12; 0 # 1]])
  = Q2R (25 # 144).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_247 :
  CT (Q2R (1 # 2)) (Q2R (1 # 1)) 3%nat (weights_of [8 # 13; 4 # 13; 1 # 13])
    (ranking_of [[11 # 12; 5 # 6; 0 # 1]; [0 # 1; 0 # 1; 11 # 12]; [5 # 6; 0 # 1; 1 # 1]; [0 # 1; 1 # 1; 1 # 1]])
  = Q2R (929 # 936).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_248 :
  CT (Q2R (1 # 5)) (Q2R (1 # 1)) 4%nat (weights_of [9 # 20; 1 # 20; 3 # 20; 7 # 20])
    (ranking_of [[0 # 1; 1 # 6; 0 # 1; 0 # 1]; [1 # 12; 1 # 12; 11 # 12; 1 # 1]; [0 # 1; 1 # 12; 11 # 12; 1 # 12]; [1 # 12; 11 # 12; 0 # 1; 11 # 12]])
  = Q2R (7277 # 22500).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_249 :
  CT (Q2R (11 # 20)) (Q2R (1 # 1)) 3%nat (weights_of [1 # 6; 3 # 4; 1 # 12])
    (ranking_of [[1 # 6; 1 # 1; 0 # 1]; [3 # 4; 0 # 1; 1 # 1]; [0 # 1; 1 # 6; 0 # 1]; [0 # 1; 3 # 4; 0 # 1]; [1 # 1; 3 # 4; 5 # 6]; [0 # 1; 3 # 4; 5 # 6]])
  = Q2R (61511 # 72000).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_250 :
  CT (Q2R (1 # 10)) (Q2R (1 # 1)) 4%nat (weights_of [2 # 9; 2 # 9; 7 # 18; 1 # 6])
    (ranking_of [[1 # 1; 0 # 1; 0 # 1; 0 # 1]])
  = Q2R (2 # 9).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_251 :
  CT (Q2R (7 # 20)) (Q2R (1 # 1)) 3%nat (weights_of [9 # 25; 8 # 25; 8 # 25])
    (ranking_of [[11 # 12; 0 # 1; 1 # 3]; [0 # 1; 1 # 3; 0 # 1]; [1 # 1; 0 # 1; 5 # 12]; [5 # 12; 5 # 12; 1 # 1]])
  = Q2R (7339 # 11250).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_252 :
  CT (Q2R (2 # 5)) (Q2R (1 # 1)) 3%nat (weights_of [3 # 10; 9 # 20; 1 # 4])
    (ranking_of [[0 # 1; 1 # 1; 3 # 4]; [0 # 1; 1 # 1; 0 # 1]])
  = Q2R (51 # 80).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_253 :
  CT (Q2R (2 # 5)) (Q2R (1 # 1)) 3%nat (weights_of [9 # 23; 8 # 23; 6 # 23])
    (ranking_of [[5 # 12; 1 # 1; 5 # 12]; [1 # 1; 0 # 1; 1 # 4]])
  = Q2R (87 # 115).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_254 :
  CT (Q2R (9 # 10)) (Q2R (1 # 1)) 3%nat (weights_of [1 # 17; 7 # 17; 9 # 17])
    (ranking_of [[1 # 2; 1 # 2; 1 # 1]; [1 # 1; 1 # 4; 0 # 1]; [1 # 2; 1 # 1; 1 # 1]; [1 # 2; 0 # 1; 1 # 4]; [1 # 4; 0 # 1; 1 # 2]])
  = Q2R (929 # 1200).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_255 :
  CT (Q2R (3 # 4)) (Q2R (1 # 1)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 4; 0 # 1]; [0 # 1; 1 # 4]])
  = Q2R (3 # 16).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_256 :
  CT (Q2R (13 # 20)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 2]])
  = Q2R (1 # 2).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_257 :
  CT (Q2R (19 # 20)) (Q2R (1 # 1)) 2%nat (weights_of [3 # 5; 2 # 5])
    (ranking_of [[0 # 1; 7 # 12]; [1 # 4; 7 # 12]; [1 # 4; 0 # 1]; [11 # 12; 0 # 1]; [7 # 12; 11 # 12]])
  = Q2R (30433 # 96000).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_258 :
  CT (Q2R (13 # 20)) (Q2R (1 # 1)) 4%nat (weights_of [9 # 20; 3 # 10; 1 # 10; 3 # 20])
    (ranking_of [[0 # 1; 1 # 6; 0 # 1; 0 # 1]; [0 # 1; 1 # 1; 0 # 1; 7 # 12]; [0 # 1; 0 # 1; 0 # 1; 1 # 6]])
  = Q2R (179 # 1200).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_259 :
  CT (Q2R (3 # 10)) (Q2R (1 # 1)) 3%nat (weights_of [3 # 14; 3 # 7; 5 # 14])
    (ranking_of [[1 # 2; 1 # 12; 1 # 12]])
  = Q2R (29 # 168).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_260 :
  CT (Q2R (1 # 20)) (Q2R (1 # 1)) 4%nat (weights_of [3 # 19; 3 # 19; 4 # 19; 9 # 19])
    (ranking_of [[1 # 3; 0 # 1; 1 # 3; 1 # 1]])
  = Q2R (34 # 57).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_261 :
  CT (Q2R (3 # 10)) (Q2R (1 # 1)) 3%nat (weights_of [1 # 4; 1 # 4; 1 # 2])
    (ranking_of [[5 # 12; 5 # 12; 5 # 12]; [0 # 1; 1 # 1; 0 # 1]; [5 # 12; 2 # 3; 1 # 1]; [1 # 1; 3 # 4; 2 # 3]; [3 # 4; 3 # 4; 5 # 12]])
  = Q2R (9731 # 14400).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_262 :
  CT (Q2R (4 # 5)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[2 # 3]; [5 # 6]; [5 # 6]; [1 # 2]; [1 # 1]])
  = Q2R (3 # 4).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_263 :
  CT (Q2R (2 # 5)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [7 # 12]])
  = Q2R (7 # 24).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_264 :
  CT (Q2R (1 # 5)) (Q2R (1 # 1)) 4%nat (weights_of [3 # 7; 1 # 7; 8 # 21; 1 # 21])
    (ranking_of [[1 # 6; 0 # 1; 0 # 1; 5 # 6]])
  = Q2R (1 # 9).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_265 :
  CT (Q2R (1 # 2)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_266 :
  CT (Q2R (1 # 10)) (Q2R (1 # 1)) 3%nat (weights_of [1 # 18; 1 # 2; 4 # 9])
    (ranking_of [[1 # 2; 5 # 12; 0 # 1]])
  = Q2R (17 # 72).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_267 :
  CT (Q2R (1 # 4)) (Q2R (1 # 1)) 2%nat (weights_of [8 # 15; 7 # 15])
    (ranking_of [[3 # 4; 1 # 1]; [3 # 4; 0 # 1]; [1 # 6; 3 # 4]; [0 # 1; 0 # 1]; [1 # 6; 0 # 1]])
  = Q2R (61 # 60).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_268 :
  CT (Q2R (3 # 20)) (Q2R (1 # 1)) 3%nat (weights_of [1 # 8; 3 # 8; 1 # 2])
    (ranking_of [[1 # 1; 0 # 1; 1 # 1]; [1 # 2; 5 # 6; 5 # 6]; [5 # 6; 0 # 1; 0 # 1]])
  = Q2R (25 # 32).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_269 :
  CT (Q2R (9 # 10)) (Q2R (1 # 1)) 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [11 # 12]; [0 # 1]; [11 # 12]])
  = Q2R (77 # 80).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_270 :
  CT (Q2R (1 # 4)) (Q2R (1 # 1)) 4%nat (weights_of [3 # 8; 1 # 24; 1 # 4; 1 # 3])
    (ranking_of [[3 # 4; 2 # 3; 0 # 1; 0 # 1]; [5 # 12; 5 # 12; 0 # 1; 3 # 4]])
  = Q2R (575 # 1152).
Proof. rewrite CT_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_271 :
  alpha_DCG (Q2R (1 # 5)) 4%nat (weights_of [4 # 13; 3 # 13; 2 # 13; 4 # 13])
    (ranking_of [[0 # 1; 0 # 1; 7 # 12; 1 # 4]; [0 # 1; 7 # 12; 5 # 6; 0 # 1]; [5 # 6; 1 # 4; 5 # 6; 0 # 1]])
  = discounted logarithmic [5 # 6; 5 # 4; 47 # 30].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_272 :
  alpha_DCG (Q2R (4 # 5)) 3%nat (weights_of [9 # 23; 8 # 23; 6 # 23])
    (ranking_of [[1 # 1; 1 # 1; 1 # 3]; [1 # 3; 5 # 12; 5 # 12]; [1 # 1; 1 # 2; 5 # 12]])
  = discounted logarithmic [7 # 3; 7 # 30; 23 # 300].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_273 :
  alpha_DCG (Q2R (3 # 10)) 2%nat (weights_of [3 # 7; 4 # 7])
    (ranking_of [[1 # 1; 1 # 1]; [0 # 1; 0 # 1]; [1 # 12; 1 # 6]; [1 # 6; 1 # 6]; [0 # 1; 1 # 1]])
  = discounted logarithmic [2 # 1; 0 # 1; 7 # 40; 49 # 300; 343 # 1000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_274 :
  alpha_DCG (Q2R (3 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 4]; [1 # 4]; [0 # 1]; [1 # 4]; [0 # 1]; [1 # 1]])
  = discounted logarithmic [1 # 4; 7 # 40; 0 # 1; 49 # 400; 0 # 1; 343 # 1000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_275 :
  alpha_DCG (Q2R (3 # 5)) 2%nat (weights_of [4 # 7; 3 # 7])
    (ranking_of [[0 # 1; 1 # 4]; [1 # 2; 1 # 3]])
  = discounted logarithmic [1 # 4; 19 # 30].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_276 :
  alpha_DCG (Q2R (2 # 5)) 3%nat (weights_of [1 # 3; 3 # 5; 1 # 15])
    (ranking_of [[1 # 1; 0 # 1; 0 # 1]])
  = discounted logarithmic [1 # 1].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_277 :
  alpha_DCG (Q2R (13 # 20)) 4%nat (weights_of [1 # 10; 1 # 5; 3 # 10; 2 # 5])
    (ranking_of [[2 # 3; 0 # 1; 1 # 1; 11 # 12]; [0 # 1; 0 # 1; 0 # 1; 1 # 1]; [1 # 1; 2 # 3; 2 # 3; 1 # 1]; [1 # 1; 0 # 1; 2 # 3; 0 # 1]; [0 # 1; 0 # 1; 0 # 1; 0 # 1]])
  = discounted logarithmic [31 # 12; 7 # 20; 549 # 400; 49 # 240; 0 # 1].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_278 :
  alpha_DCG (Q2R (17 # 20)) 4%nat (weights_of [9 # 17; 1 # 17; 1 # 17; 6 # 17])
    (ranking_of [[7 # 12; 0 # 1; 7 # 12; 7 # 12]; [1 # 4; 7 # 12; 0 # 1; 0 # 1]])
  = discounted logarithmic [7 # 4; 149 # 240].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_279 :
  alpha_DCG (Q2R (1 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 12]; [1 # 4]; [5 # 12]; [5 # 12]; [1 # 4]])
  = discounted logarithmic [5 # 12; 9 # 40; 27 # 80; 243 # 800; 6561 # 40000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_280 :
  alpha_DCG (Q2R (1 # 2)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 6]; [1 # 1]; [0 # 1]; [1 # 3]; [1 # 1]])
  = discounted logarithmic [5 # 6; 1 # 2; 0 # 1; 1 # 12; 1 # 8].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_281 :
  alpha_DCG (Q2R (3 # 4)) 2%nat (weights_of [2 # 7; 5 # 7])
    (ranking_of [[1 # 1; 3 # 4]; [1 # 4; 1 # 4]; [3 # 4; 11 # 12]])
  = discounted logarithmic [7 # 4; 1 # 8; 5 # 48].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_282 :
  alpha_DCG (Q2R (1 # 20)) 3%nat (weights_of [1 # 3; 2 # 9; 4 # 9])
    (ranking_of [[0 # 1; 1 # 2; 1 # 12]; [0 # 1; 1 # 2; 0 # 1]; [3 # 4; 0 # 1; 1 # 12]; [0 # 1; 1 # 2; 3 # 4]; [1 # 1; 0 # 1; 1 # 12]])
  = discounted logarithmic [7 # 12; 19 # 40; 199 # 240; 361 # 320; 98059 # 96000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_283 :
  alpha_DCG (Q2R (3 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 12]; [0 # 1]])
  = discounted logarithmic [1 # 12; 0 # 1].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_284 :
  alpha_DCG (Q2R (9 # 20)) 4%nat (weights_of [3 # 14; 1 # 7; 2 # 7; 5 # 14])
    (ranking_of [[1 # 12; 1 # 12; 1 # 12; 1 # 12]; [1 # 12; 1 # 12; 0 # 1; 1 # 12]])
  = discounted logarithmic [1 # 3; 11 # 80].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_285 :
  alpha_DCG (Q2R (7 # 10)) 3%nat (weights_of [1 # 2; 1 # 4; 1 # 4])
    (ranking_of [[1 # 12; 0 # 1; 1 # 12]; [1 # 1; 1 # 12; 0 # 1]; [1 # 12; 0 # 1; 0 # 1]; [1 # 12; 1 # 1; 1 # 1]])
  = discounted logarithmic [1 # 6; 23 # 60; 3 # 400; 2409 # 4000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_286 :
  alpha_DCG (Q2R (7 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 1]; [0 # 1]; [0 # 1]; [0 # 1]; [1 # 1]])
  = discounted logarithmic [0 # 1; 1 # 1; 0 # 1; 0 # 1; 0 # 1; 3 # 10].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_287 :
  alpha_DCG (Q2R (9 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]; [1 # 1]; [3 # 4]])
  = discounted logarithmic [3 # 4; 11 # 20; 363 # 1600].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_288 :
  alpha_DCG (Q2R (1 # 20)) 3%nat (weights_of [1 # 10; 1 # 5; 7 # 10])
    (ranking_of [[0 # 1; 1 # 12; 1 # 12]])
  = discounted logarithmic [1 # 6].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_289 :
  alpha_DCG (Q2R (1 # 2)) 4%nat (weights_of [5 # 21; 1 # 3; 1 # 21; 8 # 21])
    (ranking_of [[5 # 12; 1 # 12; 0 # 1; 0 # 1]; [0 # 1; 2 # 3; 2 # 3; 0 # 1]; [5 # 12; 5 # 12; 1 # 1; 5 # 12]; [0 # 1; 1 # 1; 1 # 1; 2 # 3]; [0 # 1; 2 # 3; 5 # 12; 0 # 1]])
  = discounted logarithmic [1 # 2; 1 # 1; 59 # 48; 17 # 24; 3 # 32].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_290 :
  alpha_DCG (Q2R (1 # 5)) 4%nat (weights_of [1 # 11; 4 # 11; 3 # 11; 3 # 11])
    (ranking_of [[1 # 1; 0 # 1; 1 # 12; 1 # 3]])
  = discounted logarithmic [17 # 12].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_291 :
  alpha_DCG (Q2R (7 # 10)) 3%nat (weights_of [2 # 5; 2 # 5; 1 # 5])
    (ranking_of [[1 # 2; 0 # 1; 1 # 2]; [0 # 1; 1 # 2; 5 # 12]])
  = discounted logarithmic [1 # 1; 5 # 8].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_292 :
  alpha_DCG (Q2R (1 # 5)) 3%nat (weights_of [1 # 16; 7 # 16; 1 # 2])
    (ranking_of [[1 # 1; 0 # 1; 0 # 1]; [0 # 1; 11 # 12; 0 # 1]])
  = discounted logarithmic [1 # 1; 11 # 12].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_293 :
  alpha_DCG (Q2R (7 # 10)) 2%nat (weights_of [3 # 7; 4 # 7])
    (ranking_of [[1 # 1; 11 # 12]])
  = discounted logarithmic [23 # 12].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_294 :
  alpha_DCG (Q2R (7 # 20)) 3%nat (weights_of [1 # 8; 5 # 16; 9 # 16])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1]])
  = discounted logarithmic [0 # 1].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_295 :
  alpha_DCG (Q2R (1 # 4)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 1; 1 # 6]; [1 # 1; 1 # 6]])
  = discounted logarithmic [7 # 6; 7 # 8].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_296 :
  alpha_DCG (Q2R (19 # 20)) 2%nat (weights_of [9 # 16; 7 # 16])
    (ranking_of [[1 # 1; 5 # 6]; [0 # 1; 0 # 1]; [0 # 1; 5 # 6]])
  = discounted logarithmic [11 # 6; 0 # 1; 1 # 24].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_297 :
  alpha_DCG (Q2R (4 # 5)) 4%nat (weights_of [9 # 23; 9 # 23; 3 # 23; 2 # 23])
    (ranking_of [[1 # 1; 1 # 6; 0 # 1; 2 # 3]; [1 # 6; 2 # 3; 1 # 3; 0 # 1]])
  = discounted logarithmic [11 # 6; 1 # 2].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_298 :
  alpha_DCG (Q2R (4 # 5)) 2%nat (weights_of [2 # 5; 3 # 5])
    (ranking_of [[3 # 4; 2 # 3]; [1 # 12; 1 # 1]; [0 # 1; 3 # 4]])
  = discounted logarithmic [17 # 12; 13 # 60; 3 # 100].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_299 :
  alpha_DCG (Q2R (1 # 2)) 2%nat (weights_of [7 # 12; 5 # 12])
    (ranking_of [[3 # 4; 0 # 1]; [5 # 12; 1 # 1]; [1 # 1; 3 # 4]; [0 # 1; 3 # 4]; [5 # 12; 2 # 3]; [0 # 1; 0 # 1]])
  = discounted logarithmic [3 # 4; 29 # 24; 5 # 8; 3 # 16; 13 # 96; 0 # 1].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_300 :
  alpha_DCG (Q2R (11 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 6]; [2 # 3]])
  = discounted logarithmic [0 # 1; 1 # 6; 3 # 10].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_301 :
  alpha_DCG (Q2R (1 # 2)) 4%nat (weights_of [2 # 11; 1 # 11; 2 # 11; 6 # 11])
    (ranking_of [[1 # 1; 3 # 4; 0 # 1; 3 # 4]; [1 # 1; 0 # 1; 2 # 3; 0 # 1]; [5 # 6; 1 # 1; 3 # 4; 3 # 4]; [3 # 4; 5 # 6; 5 # 6; 3 # 4]; [0 # 1; 2 # 3; 5 # 6; 5 # 6]])
  = discounted logarithmic [5 # 2; 7 # 6; 35 # 24; 67 # 96; 7 # 24].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_302 :
  alpha_DCG (Q2R (7 # 10)) 4%nat (weights_of [3 # 7; 5 # 21; 2 # 21; 5 # 21])
    (ranking_of [[0 # 1; 11 # 12; 1 # 1; 0 # 1]; [5 # 12; 5 # 12; 11 # 12; 0 # 1]; [11 # 12; 0 # 1; 5 # 12; 11 # 12]; [5 # 12; 0 # 1; 0 # 1; 0 # 1]; [5 # 12; 5 # 12; 5 # 12; 5 # 12]; [1 # 1; 11 # 12; 5 # 12; 11 # 12]])
  = discounted logarithmic [23 # 12; 49 # 60; 59 # 48; 3 # 80; 37 # 200; 4749 # 40000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_303 :
  alpha_DCG (Q2R (7 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[7 # 12]; [0 # 1]; [0 # 1]; [7 # 12]; [7 # 12]])
  = discounted logarithmic [7 # 12; 0 # 1; 0 # 1; 7 # 40; 21 # 400].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_304 :
  alpha_DCG (Q2R (3 # 10)) 3%nat (weights_of [6 # 17; 3 # 17; 8 # 17])
    (ranking_of [[0 # 1; 1 # 1; 1 # 1]; [5 # 6; 1 # 1; 0 # 1]; [0 # 1; 5 # 6; 1 # 1]; [0 # 1; 5 # 6; 5 # 6]; [1 # 1; 0 # 1; 0 # 1]; [5 # 6; 0 # 1; 5 # 6]])
  = discounted logarithmic [2 # 1; 23 # 15; 133 # 120; 833 # 1200; 7 # 10; 833 # 1200].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_305 :
  alpha_DCG (Q2R (1 # 4)) 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[1 # 1; 5 # 6]; [3 # 4; 2 # 3]; [3 # 4; 2 # 3]; [5 # 6; 3 # 4]; [0 # 1; 0 # 1]; [2 # 3; 3 # 4]])
  = discounted logarithmic [11 # 6; 17 # 16; 51 # 64; 171 # 256; 0 # 1; 459 # 1024].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_306 :
  alpha_DCG (Q2R (3 # 10)) 4%nat (weights_of [1 # 4; 1 # 3; 5 # 24; 5 # 24])
    (ranking_of [[1 # 1; 1 # 1; 0 # 1; 3 # 4]; [0 # 1; 0 # 1; 11 # 12; 0 # 1]; [11 # 12; 11 # 12; 11 # 12; 3 # 4]; [0 # 1; 0 # 1; 11 # 12; 1 # 1]; [0 # 1; 11 # 12; 0 # 1; 0 # 1]])
  = discounted logarithmic [11 # 4; 11 # 12; 49 # 20; 1127 # 1200; 539 # 1200].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_307 :
  alpha_DCG (Q2R (1 # 10)) 4%nat (weights_of [9 # 14; 1 # 7; 1 # 7; 1 # 14])
    (ranking_of [[1 # 1; 3 # 4; 3 # 4; 1 # 1]; [0 # 1; 0 # 1; 1 # 1; 1 # 1]])
  = discounted logarithmic [7 # 2; 9 # 5].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_308 :
  alpha_DCG (Q2R (1 # 20)) 2%nat (weights_of [7 # 13; 6 # 13])
    (ranking_of [[1 # 3; 1 # 3]; [5 # 6; 5 # 6]; [0 # 1; 1 # 1]; [1 # 1; 1 # 3]; [5 # 6; 0 # 1]; [1 # 3; 0 # 1]])
  = discounted logarithmic [2 # 3; 19 # 12; 361 # 400; 28519 # 24000; 6859 # 9600; 130321 # 480000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_309 :
  alpha_DCG (Q2R (9 # 10)) 4%nat (weights_of [2 # 9; 4 # 9; 1 # 9; 2 # 9])
    (ranking_of [[5 # 12; 0 # 1; 5 # 12; 1 # 1]; [0 # 1; 5 # 12; 1 # 6; 1 # 1]; [1 # 6; 5 # 12; 0 # 1; 1 # 1]; [1 # 6; 1 # 6; 0 # 1; 1 # 1]; [1 # 6; 1 # 6; 5 # 12; 0 # 1]])
  = discounted logarithmic [11 # 6; 8 # 15; 41 # 600; 13 # 3000; 9 # 2000].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_310 :
  alpha_DCG (Q2R (1 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 3]; [3 # 4]; [0 # 1]; [1 # 3]])
  = discounted logarithmic [1 # 3; 27 # 40; 0 # 1; 27 # 100].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_311 :
  alpha_DCG (Q2R (3 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[2 # 3]; [7 # 12]; [2 # 3]; [0 # 1]; [1 # 1]])
  = discounted logarithmic [2 # 3; 7 # 48; 1 # 24; 0 # 1; 1 # 64].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_312 :
  alpha_DCG (Q2R (7 # 10)) 3%nat (weights_of [2 # 19; 9 # 19; 8 # 19])
    (ranking_of [[1 # 1; 1 # 1; 1 # 2]])
  = discounted logarithmic [5 # 2].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_313 :
  alpha_DCG (Q2R (9 # 10)) 2%nat (weights_of [4 # 11; 7 # 11])
    (ranking_of [[0 # 1; 1 # 3]; [11 # 12; 1 # 1]; [0 # 1; 1 # 12]; [1 # 1; 0 # 1]; [0 # 1; 1 # 12]; [0 # 1; 0 # 1]])
  = discounted logarithmic [1 # 3; 61 # 60; 1 # 1200; 1 # 10; 1 # 12000; 0 # 1].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_314 :
  alpha_DCG (Q2R (1 # 4)) 2%nat (weights_of [7 # 13; 6 # 13])
    (ranking_of [[5 # 6; 1 # 1]])
  = discounted logarithmic [11 # 6].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_315 :
  alpha_DCG (Q2R (1 # 5)) 3%nat (weights_of [1 # 12; 2 # 3; 1 # 4])
    (ranking_of [[0 # 1; 1 # 1; 0 # 1]; [0 # 1; 1 # 1; 1 # 6]; [0 # 1; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 2]; [11 # 12; 0 # 1; 0 # 1]])
  = discounted logarithmic [1 # 1; 29 # 30; 0 # 1; 2 # 5; 11 # 12].
Proof. rewrite alpha_DCG_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_316 :
  EU (Q2R (9 # 10)) (Q2R (1 # 4)) 4%nat (weights_of [1 # 4; 1 # 8; 7 # 16; 3 # 16])
    (ranking_of [[0 # 1; 1 # 12; 1 # 12; 1 # 12]; [3 # 4; 1 # 12; 0 # 1; 1 # 2]; [1 # 2; 1 # 1; 0 # 1; 1 # 2]; [1 # 2; 0 # 1; 0 # 1; 1 # 2]; [1 # 2; 1 # 2; 1 # 2; 0 # 1]; [1 # 1; 1 # 12; 1 # 1; 1 # 2]])
  = discounted shifted_log [(-3) # 16; (-5) # 96; (-753) # 3200; (-7957) # 32000; (-3647) # 16000; (-117883) # 480000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_317 :
  EU (Q2R (1 # 2)) (Q2R (1 # 2)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 3]; [0 # 1]; [2 # 3]; [1 # 3]])
  = discounted shifted_log [(-1) # 2; (-1) # 6; (-1) # 2; (-1) # 6; (-5) # 12].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_318 :
  EU (Q2R (4 # 5)) (Q2R (9 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 1]])
  = discounted shifted_log [(-9) # 10; 1 # 10].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_319 :
  EU (Q2R (1 # 5)) (Q2R (4 # 5)) 3%nat (weights_of [8 # 17; 6 # 17; 3 # 17])
    (ranking_of [[1 # 1; 0 # 1; 1 # 1]; [3 # 4; 1 # 12; 11 # 12]; [0 # 1; 1 # 12; 1 # 12]])
  = discounted shifted_log [(-13) # 85; (-61) # 170; (-326) # 425].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_320 :
  EU (Q2R (4 # 5)) (Q2R (1 # 2)) 4%nat (weights_of [3 # 7; 1 # 7; 1 # 7; 2 # 7])
    (ranking_of [[11 # 12; 5 # 6; 11 # 12; 11 # 12]; [5 # 6; 5 # 6; 5 # 6; 5 # 6]])
  = discounted shifted_log [17 # 42; (-1) # 3].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_321 :
  EU (Q2R (9 # 20)) (Q2R (1 # 4)) 3%nat (weights_of [1 # 9; 7 # 9; 1 # 9])
    (ranking_of [[7 # 12; 1 # 1; 7 # 12]; [7 # 12; 0 # 1; 1 # 3]])
  = discounted shifted_log [71 # 108; (-419) # 2160].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_322 :
  EU (Q2R (7 # 20)) (Q2R (1 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]; [1 # 1]; [1 # 1]; [1 # 1]; [1 # 1]])
  = discounted shifted_log [19 # 20; (-1) # 20; 3 # 5; 149 # 400; 1797 # 8000; 20561 # 160000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_323 :
  EU (Q2R (4 # 5)) (Q2R (3 # 4)) 3%nat (weights_of [1 # 5; 3 # 5; 1 # 5])
    (ranking_of [[0 # 1; 1 # 3; 1 # 2]; [0 # 1; 0 # 1; 0 # 1]; [1 # 3; 1 # 2; 1 # 3]])
  = discounted shifted_log [(-9) # 20; (-3) # 4; (-61) # 100].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_324 :
  EU (Q2R (3 # 5)) (Q2R (7 # 20)) 3%nat (weights_of [1 # 4; 3 # 8; 3 # 8])
    (ranking_of [[7 # 12; 5 # 12; 1 # 3]; [1 # 3; 0 # 1; 1 # 1]])
  = discounted shifted_log [37 # 480; (-1) # 6].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_325 :
  EU (Q2R (7 # 10)) (Q2R (9 # 10)) 2%nat (weights_of [3 # 11; 8 # 11])
    (ranking_of [[1 # 1; 2 # 3]; [2 # 3; 1 # 1]])
  = discounted shifted_log [(-47) # 330; (-69) # 110].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_326 :
  EU (Q2R (9 # 10)) (Q2R (1 # 5)) 4%nat (weights_of [6 # 23; 9 # 23; 6 # 23; 2 # 23])
    (ranking_of [[0 # 1; 3 # 4; 0 # 1; 3 # 4]; [0 # 1; 0 # 1; 0 # 1; 1 # 3]; [0 # 1; 0 # 1; 0 # 1; 0 # 1]; [1 # 3; 1 # 1; 1 # 12; 1 # 3]; [0 # 1; 1 # 12; 0 # 1; 0 # 1]; [0 # 1; 3 # 4; 3 # 4; 0 # 1]])
  = discounted shifted_log [73 # 460; (-68) # 345; (-1) # 5; (-179) # 3450; (-1837) # 9200; (-16573) # 92000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_327 :
  EU (Q2R (9 # 10)) (Q2R (3 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]; [1 # 2]; [0 # 1]; [0 # 1]])
  = discounted shifted_log [0 # 1; (-7) # 10; (-3) # 4; (-3) # 4].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_328 :
  EU (Q2R (1 # 2)) (Q2R (17 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 4]; [1 # 2]; [1 # 4]; [0 # 1]; [1 # 4]; [7 # 12]])
  = discounted shifted_log [(-3) # 5; (-3) # 5; (-63) # 80; (-17) # 20; (-131) # 160; (-781) # 960].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_329 :
  EU (Q2R (7 # 10)) (Q2R (1 # 4)) 3%nat (weights_of [2 # 9; 1 # 9; 2 # 3])
    (ranking_of [[0 # 1; 7 # 12; 7 # 12]])
  = discounted shifted_log [11 # 54].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_330 :
  EU (Q2R (11 # 20)) (Q2R (2 # 5)) 2%nat (weights_of [7 # 8; 1 # 8])
    (ranking_of [[11 # 12; 2 # 3]; [0 # 1; 0 # 1]; [0 # 1; 1 # 4]; [0 # 1; 2 # 3]])
  = discounted shifted_log [233 # 480; (-2) # 5; (-247) # 640; (-613) # 1600].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_331 :
  EU (Q2R (3 # 5)) (Q2R (9 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]])
  = discounted shifted_log [(-9) # 10].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_332 :
  EU (Q2R (1 # 10)) (Q2R (9 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [5 # 6]; [1 # 1]; [1 # 6]])
  = discounted shifted_log [(-9) # 20; 23 # 60; 9 # 20; (-63) # 200].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_333 :
  EU (Q2R (1 # 20)) (Q2R (1 # 10)) 2%nat (weights_of [2 # 5; 3 # 5])
    (ranking_of [[0 # 1; 0 # 1]; [5 # 6; 5 # 6]; [3 # 4; 0 # 1]; [3 # 4; 3 # 4]; [0 # 1; 0 # 1]; [0 # 1; 0 # 1]])
  = discounted shifted_log [(-1) # 10; 11 # 15; 37 # 200; 2393 # 4000; (-1) # 10; (-1) # 10].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_334 :
  EU (Q2R (3 # 10)) (Q2R (1 # 4)) 4%nat (weights_of [7 # 18; 1 # 6; 7 # 18; 1 # 18])
    (ranking_of [[0 # 1; 7 # 12; 0 # 1; 0 # 1]; [1 # 1; 7 # 12; 1 # 1; 0 # 1]; [0 # 1; 7 # 12; 7 # 12; 5 # 6]])
  = discounted shifted_log [(-11) # 72; 143 # 240; 59 # 21600].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_335 :
  EU (Q2R (13 # 20)) (Q2R (7 # 20)) 3%nat (weights_of [4 # 15; 3 # 5; 2 # 15])
    (ranking_of [[1 # 3; 1 # 1; 1 # 3]; [2 # 3; 0 # 1; 1 # 1]; [1 # 1; 0 # 1; 3 # 4]; [3 # 4; 2 # 3; 1 # 3]])
  = discounted shifted_log [23 # 60; (-217) # 900; (-3661) # 12000; (-71827) # 360000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_336 :
  EU (Q2R (19 # 20)) (Q2R (1 # 2)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]; [0 # 1]])
  = discounted shifted_log [1 # 2; (-1) # 2; (-1) # 2].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_337 :
  EU (Q2R (3 # 10)) (Q2R (1 # 2)) 3%nat (weights_of [2 # 5; 2 # 5; 1 # 5])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1]; [0 # 1; 1 # 1; 5 # 6]; [0 # 1; 11 # 12; 1 # 1]; [0 # 1; 0 # 1; 1 # 2]])
  = discounted shifted_log [(-1) # 2; 1 # 15; (-31) # 300; (-451) # 1000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_338 :
  EU (Q2R (7 # 20)) (Q2R (1 # 4)) 2%nat (weights_of [5 # 13; 8 # 13])
    (ranking_of [[0 # 1; 7 # 12]; [3 # 4; 0 # 1]; [1 # 1; 3 # 4]; [7 # 12; 5 # 12]])
  = discounted shifted_log [17 # 156; 1 # 26; 3 # 10; (-3) # 64].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_339 :
  EU (Q2R (9 # 20)) (Q2R (1 # 10)) 4%nat (weights_of [5 # 18; 1 # 2; 1 # 9; 1 # 9])
    (ranking_of [[3 # 4; 0 # 1; 1 # 1; 3 # 4]; [0 # 1; 0 # 1; 0 # 1; 0 # 1]; [0 # 1; 1 # 3; 1 # 1; 3 # 4]; [3 # 4; 1 # 3; 0 # 1; 1 # 1]; [3 # 4; 1 # 1; 0 # 1; 3 # 4]])
  = discounted shifted_log [109 # 360; (-1) # 10; 25 # 144; 1007 # 7200; 12301 # 96000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_340 :
  EU (Q2R (9 # 10)) (Q2R (9 # 20)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [0 # 1]; [1 # 1]; [1 # 4]; [1 # 4]; [11 # 12]])
  = discounted shifted_log [11 # 20; (-9) # 20; (-7) # 20; (-179) # 400; (-1799) # 4000; (-53989) # 120000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_341 :
  EU (Q2R (1 # 2)) (Q2R (1 # 10)) 3%nat (weights_of [8 # 15; 2 # 15; 1 # 3])
    (ranking_of [[1 # 12; 7 # 12; 1 # 6]; [1 # 1; 7 # 12; 1 # 12]; [7 # 12; 0 # 1; 1 # 1]; [7 # 12; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 0 # 1]])
  = discounted shifted_log [7 # 90; 79 # 360; 11 # 180; (-11) # 180; (-1) # 10].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_342 :
  EU (Q2R (1 # 2)) (Q2R (3 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[5 # 6]; [5 # 6]; [0 # 1]; [5 # 6]])
  = discounted shifted_log [1 # 12; (-1) # 3; (-3) # 4; (-13) # 24].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_343 :
  EU (Q2R (3 # 20)) (Q2R (9 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [0 # 1]; [0 # 1]; [1 # 6]; [1 # 6]; [1 # 1]])
  = discounted shifted_log [(-9) # 10; (-9) # 10; (-9) # 10; (-11) # 15; (-91) # 120; (-71) # 400].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_344 :
  EU (Q2R (3 # 4)) (Q2R (3 # 10)) 3%nat (weights_of [4 # 15; 4 # 15; 7 # 15])
    (ranking_of [[3 # 4; 5 # 6; 3 # 4]; [0 # 1; 1 # 1; 3 # 4]; [0 # 1; 5 # 6; 3 # 4]; [1 # 1; 5 # 6; 0 # 1]; [3 # 4; 5 # 6; 1 # 1]; [5 # 6; 1 # 1; 5 # 6]])
  = discounted shifted_log [17 # 36; (-7) # 48; (-761) # 2880; (-331) # 1440; (-1609) # 5760; (-6791) # 23040].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_345 :
  EU (Q2R (1 # 2)) (Q2R (1 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 12]; [2 # 3]; [1 # 6]])
  = discounted shifted_log [(-1) # 60; 7 # 30; (-7) # 120].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_346 :
  EU (Q2R (17 # 20)) (Q2R (7 # 10)) 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]; [1 # 1]])
  = discounted shifted_log [1 # 20; (-11) # 20].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_347 :
  EU (Q2R (3 # 5)) (Q2R (3 # 5)) 4%nat (weights_of [2 # 7; 5 # 14; 1 # 7; 3 # 14])
    (ranking_of [[5 # 6; 1 # 1; 1 # 1; 0 # 1]; [1 # 12; 1 # 1; 5 # 6; 5 # 6]; [1 # 1; 0 # 1; 5 # 6; 5 # 6]; [0 # 1; 5 # 6; 1 # 1; 0 # 1]; [0 # 1; 1 # 12; 5 # 6; 0 # 1]; [5 # 6; 5 # 6; 5 # 6; 2 # 3]])
  = discounted shifted_log [29 # 210; (-31) # 140; (-487) # 1050; (-1426) # 2625; (-1562) # 2625; (-1037) # 1875].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_348 :
  EU (Q2R (1 # 10)) (Q2R (7 # 10)) 4%nat (weights_of [1 # 3; 1 # 9; 1 # 3; 2 # 9])
    (ranking_of [[11 # 12; 1 # 1; 0 # 1; 0 # 1]; [1 # 1; 2 # 3; 0 # 1; 0 # 1]])
  = discounted shifted_log [(-17) # 60; (-1) # 3].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_349 :
  EU (Q2R (11 # 20)) (Q2R (9 # 20)) 2%nat (weights_of [2 # 11; 9 # 11])
    (ranking_of [[0 # 1; 5 # 12]; [0 # 1; 0 # 1]; [1 # 1; 1 # 1]])
  = discounted shifted_log [(-6) # 55; (-9) # 20; 1 # 10].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_350 :
  EU (Q2R (9 # 20)) (Q2R (11 # 20)) 2%nat (weights_of [7 # 11; 4 # 11])
    (ranking_of [[1 # 1; 2 # 3]; [1 # 1; 0 # 1]])
  = discounted shifted_log [217 # 660; (-1) # 5].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_351 :
  EU (Q2R (3 # 10)) (Q2R (7 # 20)) 4%nat (weights_of [6 # 19; 4 # 19; 5 # 19; 4 # 19])
    (ranking_of [[0 # 1; 2 # 3; 1 # 1; 0 # 1]; [1 # 1; 2 # 3; 2 # 3; 0 # 1]; [2 # 3; 1 # 1; 2 # 3; 1 # 6]; [1 # 6; 1 # 1; 2 # 3; 0 # 1]; [1 # 6; 2 # 3; 0 # 1; 1 # 1]; [1 # 6; 1 # 1; 2 # 3; 0 # 1]])
  = discounted shifted_log [61 # 1140; 71 # 380; 41 # 1900; (-5467) # 28500; (-43001) # 285000; (-740593) # 2850000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_352 :
  EU (Q2R (1 # 4)) (Q2R (17 # 20)) 4%nat (weights_of [9 # 20; 1 # 5; 1 # 4; 1 # 10])
    (ranking_of [[0 # 1; 3 # 4; 3 # 4; 0 # 1]; [3 # 4; 0 # 1; 3 # 4; 3 # 4]])
  = discounted shifted_log [(-41) # 80; (-19) # 64].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_353 :
  EU (Q2R (7 # 10)) (Q2R (3 # 10)) 3%nat (weights_of [2 # 11; 7 # 11; 2 # 11])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1]; [1 # 2; 1 # 2; 0 # 1]; [0 # 1; 1 # 4; 1 # 2]; [5 # 6; 1 # 4; 1 # 1]; [1 # 2; 0 # 1; 1 # 4]; [5 # 6; 1 # 2; 0 # 1]])
  = discounted shifted_log [(-3) # 10; 6 # 55; (-71) # 440; (-817) # 4400; (-633) # 2200; (-6321) # 22000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_354 :
  EU (Q2R (9 # 10)) (Q2R (7 # 20)) 3%nat (weights_of [6 # 13; 2 # 13; 5 # 13])
    (ranking_of [[11 # 12; 1 # 1; 1 # 1]; [0 # 1; 1 # 1; 0 # 1]; [1 # 1; 11 # 12; 1 # 1]])
  = discounted shifted_log [159 # 260; (-87) # 260; (-2059) # 7800].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_355 :
  EU (Q2R (4 # 5)) (Q2R (1 # 5)) 4%nat (weights_of [3 # 13; 3 # 13; 5 # 13; 2 # 13])
    (ranking_of [[0 # 1; 3 # 4; 1 # 3; 0 # 1]; [1 # 3; 1 # 1; 1 # 3; 0 # 1]; [1 # 3; 1 # 3; 3 # 4; 1 # 3]; [1 # 1; 3 # 4; 3 # 4; 5 # 12]; [1 # 3; 3 # 4; 0 # 1; 1 # 1]])
  = discounted shifted_log [79 # 780; (-2) # 39; (-463) # 3900; (-1699) # 9750; (-6271) # 32500].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_356 :
  EU (Q2R (7 # 20)) (Q2R (3 # 4)) 4%nat (weights_of [8 # 23; 4 # 23; 5 # 23; 6 # 23])
    (ranking_of [[1 # 6; 1 # 6; 5 # 6; 1 # 6]; [1 # 12; 1 # 12; 0 # 1; 1 # 12]])
  = discounted shifted_log [(-121) # 276; (-651) # 920].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_357 :
  EU (Q2R (17 # 20)) (Q2R (3 # 10)) 4%nat (weights_of [4 # 9; 1 # 6; 2 # 9; 1 # 6])
    (ranking_of [[1 # 1; 0 # 1; 0 # 1; 1 # 6]; [3 # 4; 1 # 3; 1 # 3; 0 # 1]; [0 # 1; 1 # 6; 1 # 1; 3 # 4]; [0 # 1; 1 # 3; 0 # 1; 1 # 1]; [0 # 1; 0 # 1; 3 # 4; 0 # 1]; [0 # 1; 0 # 1; 1 # 1; 0 # 1]])
  = discounted shifted_log [31 # 180; (-13) # 108; (-39) # 160; (-59) # 200; (-237) # 800; (-1197) # 4000].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_358 :
  EU (Q2R (7 # 10)) (Q2R (3 # 5)) 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 12; 0 # 1]; [1 # 12; 3 # 4]; [3 # 4; 1 # 12]; [0 # 1; 3 # 4]])
  = discounted shifted_log [(-67) # 120; (-17) # 80; (-443) # 800; (-453) # 800].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_359 :
  EU (Q2R (9 # 20)) (Q2R (1 # 4)) 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [1 # 3]])
  = discounted shifted_log [3 # 4; (-1) # 15].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_360 :
  EU (Q2R (1 # 5)) (Q2R (13 # 20)) 3%nat (weights_of [1 # 2; 5 # 18; 2 # 9])
    (ranking_of [[0 # 1; 0 # 1; 0 # 1]; [1 # 4; 0 # 1; 0 # 1]])
  = discounted shifted_log [(-13) # 20; (-21) # 40].
Proof. rewrite EU_computed. apply discounted_same. vm_compute. reflexivity. Qed.

Example example_361 :
  ERR 2%nat (weights_of [3 # 8; 5 # 8])
    (ranking_of [[0 # 1; 0 # 1]; [3 # 4; 3 # 4]; [3 # 4; 0 # 1]; [3 # 4; 0 # 1]; [0 # 1; 1 # 1]])
  = Q2R (579 # 1280).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_362 :
  ERR 4%nat (weights_of [2 # 17; 6 # 17; 1 # 17; 8 # 17])
    (ranking_of [[0 # 1; 1 # 1; 5 # 6; 0 # 1]; [3 # 4; 3 # 4; 0 # 1; 3 # 4]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_363 :
  ERR 2%nat (weights_of [7 # 8; 1 # 8])
    (ranking_of [[3 # 4; 1 # 12]; [0 # 1; 2 # 3]])
  = Q2R (5 # 6).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_364 :
  ERR 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[1 # 4; 0 # 1]; [0 # 1; 7 # 12]])
  = Q2R (15 # 32).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_365 :
  ERR 2%nat (weights_of [6 # 13; 7 # 13])
    (ranking_of [[0 # 1; 1 # 12]])
  = Q2R (1 # 12).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_366 :
  ERR 2%nat (weights_of [2 # 3; 1 # 3])
    (ranking_of [[3 # 4; 1 # 2]; [1 # 3; 1 # 2]; [3 # 4; 1 # 2]; [0 # 1; 0 # 1]; [1 # 1; 1 # 2]])
  = Q2R (17 # 20).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_367 :
  ERR 4%nat (weights_of [2 # 7; 2 # 7; 1 # 14; 5 # 14])
    (ranking_of [[0 # 1; 0 # 1; 3 # 4; 1 # 3]; [1 # 3; 1 # 4; 1 # 3; 0 # 1]; [1 # 1; 1 # 4; 0 # 1; 0 # 1]; [0 # 1; 1 # 3; 3 # 4; 1 # 3]])
  = Q2R (61 # 72).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_368 :
  ERR 4%nat (weights_of [1 # 7; 1 # 7; 3 # 7; 2 # 7])
    (ranking_of [[5 # 6; 1 # 1; 1 # 3; 7 # 12]; [0 # 1; 1 # 3; 1 # 1; 1 # 1]; [1 # 3; 1 # 1; 0 # 1; 7 # 12]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_369 :
  ERR 2%nat (weights_of [4 # 5; 1 # 5])
    (ranking_of [[0 # 1; 5 # 6]; [5 # 6; 1 # 1]; [11 # 12; 1 # 1]])
  = Q2R (11 # 12).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_370 :
  ERR 4%nat (weights_of [5 # 22; 7 # 22; 9 # 22; 1 # 22])
    (ranking_of [[1 # 1; 0 # 1; 2 # 3; 0 # 1]; [1 # 2; 1 # 2; 0 # 1; 5 # 12]; [0 # 1; 1 # 2; 0 # 1; 0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_371 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 4]])
  = Q2R (1 # 4).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_372 :
  ERR 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 1; 1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_373 :
  ERR 3%nat (weights_of [5 # 9; 1 # 3; 1 # 9])
    (ranking_of [[7 # 12; 5 # 6; 7 # 12]; [0 # 1; 0 # 1; 7 # 12]; [1 # 1; 0 # 1; 7 # 12]; [7 # 12; 1 # 1; 7 # 12]; [5 # 6; 1 # 1; 0 # 1]])
  = Q2R (391 # 432).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_374 :
  ERR 4%nat (weights_of [1 # 4; 1 # 2; 1 # 8; 1 # 8])
    (ranking_of [[0 # 1; 1 # 3; 0 # 1; 1 # 3]; [3 # 4; 0 # 1; 3 # 4; 1 # 1]; [3 # 4; 1 # 3; 1 # 3; 1 # 1]; [3 # 4; 1 # 1; 3 # 4; 1 # 3]])
  = Q2R (2 # 3).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_375 :
  ERR 4%nat (weights_of [1 # 3; 7 # 27; 4 # 27; 7 # 27])
    (ranking_of [[1 # 2; 0 # 1; 0 # 1; 0 # 1]; [1 # 1; 0 # 1; 0 # 1; 1 # 2]])
  = Q2R (3 # 4).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_376 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[3 # 4]; [1 # 12]; [1 # 12]; [0 # 1]])
  = Q2R (1325 # 1728).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_377 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [1 # 6]; [1 # 1]; [1 # 6]; [1 # 1]; [0 # 1]])
  = Q2R (13 # 36).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_378 :
  ERR 2%nat (weights_of [1 # 6; 5 # 6])
    (ranking_of [[0 # 1; 1 # 1]; [0 # 1; 0 # 1]; [3 # 4; 2 # 3]; [3 # 4; 3 # 4]; [3 # 4; 0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_379 :
  ERR 4%nat (weights_of [6 # 25; 9 # 25; 2 # 25; 8 # 25])
    (ranking_of [[0 # 1; 11 # 12; 1 # 6; 5 # 12]; [1 # 6; 11 # 12; 11 # 12; 1 # 6]])
  = Q2R (275 # 288).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_380 :
  ERR 2%nat (weights_of [1 # 4; 3 # 4])
    (ranking_of [[3 # 4; 3 # 4]; [0 # 1; 0 # 1]; [1 # 1; 0 # 1]; [1 # 2; 2 # 3]; [0 # 1; 1 # 1]])
  = Q2R (5 # 6).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_381 :
  ERR 2%nat (weights_of [1 # 3; 2 # 3])
    (ranking_of [[0 # 1; 5 # 6]; [11 # 12; 1 # 1]; [1 # 1; 11 # 12]; [1 # 1; 0 # 1]; [1 # 1; 11 # 12]; [0 # 1; 0 # 1]])
  = Q2R (11 # 12).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_382 :
  ERR 4%nat (weights_of [6 # 19; 2 # 19; 9 # 19; 2 # 19])
    (ranking_of [[1 # 3; 0 # 1; 1 # 3; 1 # 1]; [1 # 3; 0 # 1; 1 # 3; 1 # 1]; [5 # 6; 1 # 1; 0 # 1; 1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_383 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[11 # 12]; [0 # 1]; [1 # 1]; [0 # 1]; [0 # 1]; [1 # 6]])
  = Q2R (17 # 18).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_384 :
  ERR 2%nat (weights_of [1 # 2; 1 # 2])
    (ranking_of [[1 # 1; 1 # 3]; [3 # 4; 0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_385 :
  ERR 3%nat (weights_of [3 # 5; 2 # 15; 4 # 15])
    (ranking_of [[1 # 1; 3 # 4; 1 # 6]; [1 # 12; 1 # 1; 1 # 6]; [1 # 12; 3 # 4; 3 # 4]; [0 # 1; 0 # 1; 0 # 1]; [0 # 1; 1 # 12; 1 # 12]; [1 # 1; 1 # 1; 1 # 6]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_386 :
  ERR 2%nat (weights_of [7 # 12; 5 # 12])
    (ranking_of [[1 # 12; 0 # 1]; [0 # 1; 1 # 1]; [11 # 12; 0 # 1]; [1 # 12; 11 # 12]; [11 # 12; 1 # 12]; [0 # 1; 0 # 1]])
  = Q2R (13 # 24).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_387 :
  ERR 3%nat (weights_of [2 # 5; 2 # 15; 7 # 15])
    (ranking_of [[0 # 1; 0 # 1; 2 # 3]])
  = Q2R (2 # 3).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_388 :
  ERR 3%nat (weights_of [9 # 16; 5 # 16; 1 # 8])
    (ranking_of [[1 # 12; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 1 # 12]])
  = Q2R (35 # 288).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_389 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]])
  = Q2R (0 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_390 :
  ERR 3%nat (weights_of [5 # 14; 3 # 7; 3 # 14])
    (ranking_of [[1 # 3; 1 # 6; 0 # 1]])
  = Q2R (1 # 3).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_391 :
  ERR 2%nat (weights_of [1 # 4; 3 # 4])
    (ranking_of [[5 # 6; 1 # 6]; [1 # 6; 0 # 1]; [1 # 1; 1 # 2]])
  = Q2R (193 # 216).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_392 :
  ERR 3%nat (weights_of [1 # 11; 3 # 11; 7 # 11])
    (ranking_of [[0 # 1; 1 # 6; 5 # 6]; [5 # 6; 0 # 1; 1 # 6]; [1 # 1; 0 # 1; 5 # 6]; [1 # 1; 1 # 12; 1 # 1]])
  = Q2R (197 # 216).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_393 :
  ERR 4%nat (weights_of [1 # 22; 9 # 22; 3 # 11; 3 # 11])
    (ranking_of [[5 # 12; 5 # 12; 5 # 12; 0 # 1]; [11 # 12; 1 # 1; 5 # 12; 0 # 1]; [5 # 12; 1 # 1; 0 # 1; 0 # 1]; [5 # 12; 0 # 1; 5 # 12; 0 # 1]])
  = Q2R (17 # 24).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_394 :
  ERR 3%nat (weights_of [8 # 13; 4 # 13; 1 # 13])
    (ranking_of [[1 # 1; 0 # 1; 7 # 12]; [5 # 12; 0 # 1; 5 # 12]; [5 # 12; 7 # 12; 1 # 1]; [0 # 1; 0 # 1; 3 # 4]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_395 :
  ERR 3%nat (weights_of [7 # 19; 6 # 19; 6 # 19])
    (ranking_of [[1 # 2; 1 # 2; 1 # 1]; [1 # 2; 0 # 1; 1 # 4]; [0 # 1; 0 # 1; 0 # 1]; [1 # 1; 7 # 12; 1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_396 :
  ERR 3%nat (weights_of [3 # 14; 1 # 7; 9 # 14])
    (ranking_of [[1 # 1; 1 # 1; 0 # 1]; [1 # 3; 0 # 1; 1 # 12]; [1 # 1; 0 # 1; 1 # 12]; [1 # 3; 0 # 1; 1 # 3]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_397 :
  ERR 2%nat (weights_of [2 # 5; 3 # 5])
    (ranking_of [[0 # 1; 1 # 1]; [1 # 3; 0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_398 :
  ERR 2%nat (weights_of [9 # 14; 5 # 14])
    (ranking_of [[0 # 1; 1 # 1]; [0 # 1; 1 # 4]; [1 # 2; 1 # 2]; [0 # 1; 1 # 4]; [1 # 4; 0 # 1]; [1 # 2; 0 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_399 :
  ERR 4%nat (weights_of [4 # 23; 9 # 23; 9 # 23; 1 # 23])
    (ranking_of [[0 # 1; 0 # 1; 1 # 6; 1 # 6]; [5 # 12; 0 # 1; 7 # 12; 1 # 6]])
  = Q2R (59 # 144).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_400 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[1 # 1]; [11 # 12]; [11 # 12]; [5 # 12]; [0 # 1]; [1 # 1]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_401 :
  ERR 3%nat (weights_of [1 # 12; 1 # 6; 3 # 4])
    (ranking_of [[0 # 1; 1 # 2; 3 # 4]; [1 # 2; 3 # 4; 1 # 1]; [1 # 2; 0 # 1; 0 # 1]; [0 # 1; 2 # 3; 1 # 2]; [2 # 3; 1 # 2; 1 # 1]; [1 # 1; 2 # 3; 0 # 1]])
  = Q2R (7 # 8).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_402 :
  ERR 3%nat (weights_of [2 # 3; 1 # 6; 1 # 6])
    (ranking_of [[1 # 12; 1 # 1; 0 # 1]; [5 # 12; 0 # 1; 5 # 6]; [1 # 1; 0 # 1; 5 # 6]; [1 # 1; 5 # 6; 0 # 1]; [0 # 1; 1 # 1; 1 # 1]; [1 # 12; 5 # 12; 5 # 6]])
  = Q2R (1 # 1).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_403 :
  ERR 4%nat (weights_of [1 # 19; 7 # 19; 8 # 19; 3 # 19])
    (ranking_of [[5 # 6; 5 # 6; 0 # 1; 0 # 1]; [0 # 1; 0 # 1; 5 # 6; 0 # 1]; [5 # 6; 1 # 1; 0 # 1; 5 # 6]])
  = Q2R (197 # 216).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_404 :
  ERR 1%nat (weights_of [1 # 1])
    (ranking_of [[0 # 1]; [0 # 1]; [0 # 1]; [1 # 4]; [5 # 12]])
  = Q2R (1 # 8).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.

Example example_405 :
  ERR 2%nat (weights_of [1 # 5; 4 # 5])
    (ranking_of [[3 # 4; 0 # 1]; [2 # 3; 1 # 1]; [0 # 1; 0 # 1]; [3 # 4; 3 # 4]; [0 # 1; 0 # 1]; [0 # 1; 0 # 1]])
  = Q2R (7 # 8).
Proof. rewrite ERR_computed. apply value_same. vm_compute. reflexivity. Qed.
