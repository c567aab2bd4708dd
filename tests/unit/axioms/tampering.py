"""Changes that each make a certificate wrong; each function returns whether it could change the given cell."""

from collections.abc import Callable
from typing import Any

from unit.axioms.field_changes import FIELDS
from unit.axioms.region_changes import REGIONS


def steps(data: Any, kind: str = "claim") -> list[Any]:
    """The steps of a kind in a proof for every length of a constraint about all rankings."""
    return [step for step in data["steps"] if step["kind"] == kind and data["shapes"]]


def exchanged(data: Any) -> bool:
    """The two rankings of a counterexample exchanged: the better one now scores more."""
    example = data["verdict"]["counterexample"]
    if example is None or example["scores"][0] == example["scores"][1]:
        return False
    example["better"], example["worse"] = example["worse"], example["better"]
    return True


def wrong_score(data: Any) -> bool:
    """A score that is not that of the definition."""
    example = data["verdict"]["counterexample"]
    if example is not None:
        example["decimals"][0] = "0.123456"
    return example is not None


def no_pair_of_the_constraint(data: Any) -> bool:
    """Two rankings that tie but do not meet the premise of the constraint."""
    example = data["verdict"]["counterexample"]
    if example is None or data["verdict"]["axiom"] != "Pri":
        return False
    example["better"] = example["worse"]
    example["decimals"][0] = example["decimals"][1]
    return True


def another_setting(data: Any) -> bool:
    """A counterexample to another metric."""
    formula = data["counterexample_formula"]
    if formula is None or formula["kind"] != "Sum" or formula["effort"] == "0":
        return False
    data["formula"]["effort"] = "1/7"
    return True


def failure_as_proof(data: Any) -> bool:
    """A failure claimed as a proof."""
    changes: bool = data["verdict"]["verdict"] == "fails"
    data["verdict"]["verdict"] = "holds"
    return changes


def proof_as_failure(data: Any) -> bool:
    """A proof claimed as a failure."""
    changes: bool = data["verdict"]["verdict"] == "holds"
    data["verdict"]["verdict"] = "fails"
    return changes


def of_another_constraint(data: Any) -> bool:
    """The evidence for one constraint, claimed of another."""
    changes: bool = data["verdict"]["axiom"] == "Pri"
    data["verdict"]["axiom"] = "Deep"
    return changes


def of_another_reading(data: Any) -> bool:
    """The evidence for contiguous swaps, claimed of any."""
    changes: bool = (
        data["verdict"]["axiom"] == "Pri" and data["reading"]["swap"] == "contiguous" and bool(data["shapes"])
    )
    data["reading"]["swap"] = "any"
    data["reading"]["contribution"] = "each"
    return changes


def of_another_metric(data: Any) -> bool:
    """The evidence for one metric, claimed of another."""
    changes = bool(data["shapes"]) and data["formula"]["kind"] == "Sum"
    if changes:
        data["formula"]["novelty"]["kind"] = "BestSoFar"
    return changes


def wrong_polynomial(data: Any) -> bool:
    """The metric of a shape replaced by another."""
    for shape in data["shapes"]:
        if shape["formula"]["kind"] == "Sum":
            shape["formula"]["effort"] = "1/7"
            shape["better"].append(["1.0" for _ in shape["weights"]])
            return True
    return False


def flipped_sign(data: Any) -> bool:
    """The polynomial of a shape with its sign reversed."""
    for shape in data["shapes"]:
        way = shape["ways"][0]
        way["gap"] = f"(- {way['gap']})"
        return True
    return False


def shape_left_out(data: Any) -> bool:
    """One shape fewer than the proof covers."""
    changes = len(data["shapes"]) > 1 and data["verdict"]["axiom"] not in ("DeepTh", "CloseTh")
    data["shapes"] = data["shapes"][1:]
    return changes


def stronger_shape(data: Any) -> bool:
    """A shape that assumes more than its constraint does."""
    for shape in data["shapes"]:
        symbol = next((r for row in shape["worse"] for r in row if r[0] == "r"), None)
        if symbol is not None:
            shape["held"].append(f"(< (+ {symbol} (- (/ 1.0 2.0))) 0)")
            return True
    return False


def weaker_shape(data: Any) -> bool:
    """A shape without a premise of its constraint."""
    for shape in data["shapes"]:
        kept = [text for text in shape["held"] if text in data["ranges"]]
        if kept != shape["held"]:
            shape["held"] = kept
            return True
    return False


def missing_step_cited(data: Any) -> bool:
    """A step that cites a step that does not exist."""
    for step in data["steps"]:
        for given in step["given"]:
            if given["from"].startswith("step "):
                given["from"] = "step nowhere"
                return True
    return False


def dropped(place: int) -> Callable[[Any], bool]:
    """A proof without one of its steps."""

    def change(data: Any) -> bool:
        changes = len(data["steps"]) > 2
        if changes:
            del data["steps"][place]
        return changes

    return change


def premises_dropped(data: Any) -> bool:
    """Premises removed, so that a query assumes more than its step states."""
    for step in data["steps"]:
        if step["kind"] == "claim" and step["given"]:
            step["given"] = []
            return True
    return False


def assumed(source: str, formula: str) -> Callable[[Any], bool]:
    """A premise that nothing justifies: what should be shown, a narrower range, an impossibility."""

    def change(data: Any) -> bool:
        for step in steps(data):
            step["given"].append({"formula": formula, "from": source, "instance": {}})
            return True
        return False

    return change


def another_conclusion(data: Any) -> bool:
    """A later step cites what was not concluded."""
    for step in data["steps"]:
        for given in step["given"]:
            if given["from"].startswith("step ") and given["from"] != "step logarithm":
                given["formula"] = "(< (+ d1 1.0) 0)"
                return True
    return False


def another_bound(data: Any) -> bool:
    """A later step cites a conclusion with another number on its right side."""
    for step in steps(data):
        for given in step["given"]:
            if given["from"].startswith("step ") and given["formula"].endswith(" 0)"):
                given["formula"] = given["formula"][:-2] + "5)"
                return True
    return False


def invented_fact(data: Any) -> bool:
    """The unproved analytic fact, cited for a different claim."""
    for step in data["steps"]:
        for given in step["given"]:
            if given["from"] == "step logarithm":
                given["formula"] = "(< (* gain (- (/ 1.0 1.0))) 0)"
                return True
    return False


def invariant_strengthened(data: Any) -> bool:
    """An invariant that neither the base case nor the step proves."""
    for step in steps(data, "induction"):
        step["invariant"].append(f"(< (+ {step['variables'][0]} 7.0) 0)")
        return True
    return False


def query_left_out(data: Any) -> bool:
    """A conclusion without a query."""
    for step in steps(data):
        step["ways"][0]["queries"] = []
        return True
    return False


def violation_replaced(data: Any) -> bool:
    """What the query of a shape refutes replaced by `false`, which is not the opposite of its claim."""
    for shape in data["shapes"]:
        for way in shape["ways"]:
            if way["refuted"] != "false":
                way["refuted"] = "false"
                return True
    return False


def pruned_side_replaced(data: Any) -> bool:
    """A case left out because `false` is refuted, instead of the other answer to its comparison."""
    for shape in data["shapes"]:
        for pruned in shape["pruned"]:
            pruned["refuted"] = "false"
            return True
    return False


def no_case(data: Any) -> bool:
    """A claim without a case: it concludes everything."""
    for step in steps(data):
        step["ways"] = []
        return True
    return False


def impossible_condition(data: Any) -> bool:
    """A case of a step under a condition that is never true."""
    for step in steps(data):
        step["ways"][0]["conditions"].append("false")
        return True
    return False


def case_of_a_step_left_out(data: Any) -> bool:
    """A step without one of its cases."""
    for step in data["steps"]:
        if len(step["ways"]) > 1:
            step["ways"] = step["ways"][1:]
            return True
    return False


def region_as_proof(data: Any) -> bool:
    """A region claimed as a proof for all parameters."""
    changes: bool = data["verdict"]["verdict"] == "region"
    data["verdict"]["verdict"] = "holds"
    return changes


def region_without_evidence(data: Any) -> bool:
    """A region without its proof and its counterexample."""
    changes: bool = data["verdict"]["verdict"] == "region"
    data["shapes"], data["steps"], data["verdict"]["counterexample"] = [], [], None
    return changes


def another_option(data: Any) -> bool:
    """A counterexample to a metric with another option, which is text as a free parameter is."""
    formula = data["counterexample_formula"]
    if formula is None or formula["kind"] != "Normalised":
        return False
    data["formula"]["ideal"] = "optimal"
    return True


def parameter_out_of_range(data: Any) -> bool:
    """Ranges that the parameters of the metric do not have."""
    changes = bool(data["ranges"])
    data["ranges"].append("(< (+ p 1.0) 0)")
    return changes


def false_statement(data: Any) -> bool:
    """A false statement about numbers."""
    for step in data["steps"]:
        if step["kind"] == "exact":
            step["claim"] = "2·3+1 ≤ 2^2"
            return True
    return False


CHANGES: dict[str, Callable[[Any], bool]] = (
    {
        change.__name__: change
        for change in (
            exchanged,
            wrong_score,
            no_pair_of_the_constraint,
            another_setting,
            failure_as_proof,
            proof_as_failure,
            of_another_constraint,
            of_another_reading,
            of_another_metric,
            wrong_polynomial,
            flipped_sign,
            shape_left_out,
            stronger_shape,
            weaker_shape,
            missing_step_cited,
            premises_dropped,
            another_conclusion,
            another_bound,
            invented_fact,
            invariant_strengthened,
            query_left_out,
            violation_replaced,
            pruned_side_replaced,
            no_case,
            impossible_condition,
            case_of_a_step_left_out,
            region_as_proof,
            region_without_evidence,
            another_option,
            parameter_out_of_range,
            false_statement,
        )
    }
    | {
        "first_step_dropped": dropped(0),
        "last_step_dropped": dropped(-1),
        "conclusion_assumed": assumed("range", "(< (* gain (- (/ 1.0 1.0))) 0)"),
        "conclusion_as_premise": assumed("premise", "(< (* gain (- (/ 1.0 1.0))) 0)"),
        "narrower_range": assumed("range", "(< (+ x 3.0) 0)"),
        "impossible_premise": assumed("premise", "(< (+ y (* x (- (/ 1.0 1.0)))) 0)"),
        "absurd_definition": assumed("definition", "(= 0 1)"),
        "parameter_defined": assumed("definition", "(= (+ p (- (/ 1.0 2.0))) 0)"),
        "fact_without_a_step": assumed("fact", "(< (+ d2 (* d1 (- (/ 1.0 1.0)))) 0)"),
        "gain_defined": assumed("definition", "(= (+ gain (- (/ 1.0 1.0))) 0)"),
    }
    | FIELDS
    | REGIONS
)
