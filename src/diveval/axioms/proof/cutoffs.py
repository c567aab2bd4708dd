"""CloseTh where k stands for any cutoff: from which k on it can hold, and what it then needs."""

from __future__ import annotations

from collections.abc import Sequence

from diveval.axioms.arithmetic.polynomials import Term, symbol_text
from diveval.axioms.arithmetic.roots import border_text
from diveval.axioms.proof.borders import FEW, Borders, EffortLines, Found
from diveval.axioms.proof.columns import Column
from diveval.axioms.proof.verdicts import Counterexample, Proof, Region
from diveval.axioms.proof.witnesses import Gap


class Cutoffs(Borders):
    """The borders of CloseTh at each cutoff, from those without one."""

    def _close_for_each_cutoff(self, uncut: Found) -> Found:
        """From which k on the constraint can hold, and what it then needs: for all k."""
        if uncut.verdict in ("fails", "unknown"):
            return uncut
        binds, found = self.reading.cutoff_binds, self._column()

        def gaps(k: int) -> list[Gap]:
            return [self.gap(m, k) for m in range(1, k + 1)] if binds else [self.gap(m) for m in range(1, k // 2 + 1)]

        least = next((k for k in range(1, 2 * FEW) if not all(self.never(gap) for gap in gaps(k))), None)
        if least is None:
            return Found("unknown", note=f"no cutoff up to {2 * FEW - 1} lets it hold")
        shown = self._below(least, binds=binds)
        if uncut.verdict == "holds":
            if least > 1 and any(self.always(gap) for gap in gaps(least)):
                # A witness at one cutoff is one at every larger: 2m ≤ k, or more relevant documents in sight.
                grows = f"z3 for k = {least}, and for each k below; a larger k takes nothing away"
                region = Region(f"k ≥ {least}", (f"k ≥ {least}",))
                return Found("region", region, Proof(grows), shown)
            return uncut if least == 1 else Found("unknown", note="it depends on the parameters between two cutoffs")
        assert uncut.region is not None
        u = None if found is None else found.fading(self.r)
        if (
            found is not None
            and found.ranks.kind == "log"
            and u is not None
            and u.num.value is None
            and not self._effort_matters(found)
        ):
            return self._border_for_each_cutoff(uncut, u, least, gaps, shown)
        if found is not None and self._effort_matters(found):
            return self._effort_for_each_cutoff(uncut, found, least, shown)
        formula = f"k ≥ {least} and {uncut.region.formula}"
        return Found("region", Region(formula, uncut.region.numbers), uncut.proof, shown, ledger=uncut.ledger)

    def _effort_for_each_cutoff(self, uncut: Found, found: Column, least: int, shown: Counterexample | None) -> Found:
        """With effort each k has intervals of its own until all m that were looked at fit."""
        assert uncut.region is not None
        along = self._effort_lines(found)
        at = {
            k: [self._along(self._forms(k // 2), name, None)[0] for name in along.names]
            for k in self._even(least, along)
        }
        numbers = []
        for place, (line, text) in enumerate(zip(along.lines, along.texts, strict=True)):
            each: dict[str, list[int]] = {}
            for k in range(least, 2 * along.most):
                each.setdefault(at[k - k % 2][place], []).append(k)
            start = each.pop(line, [2 * along.most])[0]
            numbers += [f"k = {_runs(ks)}: {other}" for other, ks in each.items()] + [f"k ≥ {start}: {text}"]
        formula = f"k ≥ {least} and {uncut.region.formula.replace('some m has', 'some m ≤ k/2 has', 1)}"
        return Found("region", Region(formula, tuple(numbers)), uncut.proof, shown, ledger=uncut.ledger)

    def _even(self, least: int, along: EffortLines) -> range:
        """The cutoffs at which another m begins to fit."""
        return range(least - least % 2, 2 * along.most, 2)

    def _border_for_each_cutoff(
        self, uncut: Found, u: Term, least: int, gaps: object, shown: Counterexample | None
    ) -> Found:
        """Each k has a border of its own until the best m fits."""
        assert uncut.region is not None and callable(gaps)
        (name,) = u.num.symbols
        _, best = self._border([self.gap(m) for m in range(1, self.bounds.threshold + 1)], name)
        numbers: dict[str, list[int]] = {}
        for k in range(least, 2 * best):
            border, _ = self._border(gaps(k), name)
            if border is not None:
                numbers.setdefault(border_text(symbol_text(name), "<", border), []).append(k)
        each = [f"k = {_runs(ks)}: {text}" for text, ks in numbers.items()]
        formula = f"k ≥ {least} and {uncut.region.formula.replace('some m has', 'some m that fits k has', 1)}"
        region = Region(formula, (*each, *(f"k ≥ {2 * best}: {number}" for number in uncut.region.numbers)))
        return Found("region", region, uncut.proof, shown, ledger=uncut.ledger)

    def _below(self, least: int, *, binds: bool) -> Counterexample | None:
        """A pair at the largest cutoff at which nothing does, or outside the region."""
        k = max(least - 1, 1)
        if binds:
            return self.shown(range(1, min(k, 6) + 1), cutoff=k)
        return self.shown(range(1, k // 2 + 1)) if k >= 2 else None


def _runs(numbers: Sequence[int]) -> str:
    """6, 7 as `6–7`."""
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
