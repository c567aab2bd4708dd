/* The matrix of metrics × constraints; each cell opens its evidence. */
diveval.axioms = function (data) {
  diveval.notes("axioms-notes", data.axioms.notes);
};
