"""`diveval data VERB`: make, fetch, convert and simulate collections, and what is computed on the paper's."""

from __future__ import annotations

import argparse
import sys

from diveval.cli import common, convert, ir_measures, reproduce, simulate
from diveval.cli.commands import add_command
from diveval.cli.progress import watching
from diveval.errors import UsageError

# What --like makes, and the options that size it.
SIZES = {
    "trec": ("topics", "systems", "depth", "full"),
    "movielens": ("users", "items", "depth"),
    "rag": ("questions",),
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the verbs: those of this file, and those that have a file of their own."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    make = verbs.add_parser(
        "make", help="write a synthetic collection in TREC formats, or the data of a recommender or of RAG answers"
    )
    make.add_argument("directory", metavar="DIR")
    make.add_argument(
        "--like",
        choices=[*SIZES],
        default="trec",
        help="trec: judgments and runs (default); movielens: films with genres, ratings, and the lists of five recommenders; rag: facts, labels and citations of the answers of three systems, and what their retrievers returned",
    )
    for name, default, about in (
        ("topics", None, "default: 50; trec only"),
        ("systems", None, "default: 30; trec only"),
        ("depth", None, "default: 1000; movielens: 20; not for rag"),
        ("seed", 1, "default: 1"),
        ("users", None, "default: 200; movielens only"),
        ("items", None, "default: 400; movielens only"),
        ("questions", None, "default: 30; rag only"),
    ):
        make.add_argument(f"--{name}", type=int, default=default, metavar="N", help=about)
    make.add_argument("--full", action="store_true", help="every list has the full depth, as for benchmarks")
    make.set_defaults(run=run_make)
    listing = verbs.add_parser("list", help="the known real collections")
    listing.set_defaults(run=run_list)
    get = verbs.add_parser("get", help="fetch a real collection, verified by its checksums")
    get.add_argument("name", metavar="NAME", help="as `diveval data list` names it, for example trec-web-2014")
    get.add_argument("--to", metavar="DIR", help="default: the cache folder")
    get.add_argument("--from", dest="source", metavar="DIR", help="take the files from here instead of the network")
    get.add_argument(
        "--runs",
        nargs="?",
        const=True,
        default=False,
        metavar="TASK",
        help="the official runs too (all, or of one task); needs DIVEVAL_TREC_USER and DIVEVAL_TREC_PASSWORD",
    )
    get.add_argument("--accept-terms", action="store_true", help="you have read the terms and accept them")
    get.set_defaults(run=run_get)
    for name, file, about in (
        ("convert", convert, "turn judgments and runs from one format into another"),
        ("simulate", simulate, "write a randomly perturbed collection: graded, weighted or cut"),
        ("reproduce", reproduce, "the tables of the RBU paper beside ours, on your data or a synthetic collection"),
        ("ir-measures", ir_measures, "run ir_measures with diveval's metrics known to it"),
    ):
        add_command(verbs, name, file, about)


def run_make(arguments: argparse.Namespace) -> int:
    """Write the synthetic collection and print where it is."""
    from diveval.datasets import make_collection, make_movielens, make_rag

    names = SIZES[arguments.like]
    for name in dict.fromkeys(name for own in SIZES.values() for name in own):
        if name not in names and getattr(arguments, name) not in (None, False):
            raise UsageError("conflicting-options", f"--{name} does not go with --like {arguments.like}")
    given = {n: value for n in names if n != "full" and (value := getattr(arguments, n)) is not None}
    if arguments.like == "movielens":
        folder = make_movielens(arguments.directory, seed=arguments.seed, **given)
        common.say(f"{folder}: movies.csv, ratings.csv, test.csv and recommendations.csv of five systems")
        return 0
    if arguments.like == "rag":
        folder = make_rag(arguments.directory, seed=arguments.seed, **given)
        common.say(
            f"{folder}: facts.csv, labels.csv, people.csv, citations.csv, contexts.jsonl, tokens.txt and a run per retriever"
        )
        return 0
    folder = make_collection(arguments.directory, seed=arguments.seed, full=arguments.full, **given)
    common.say(
        f"{folder}: qrels.txt, weights.txt, topics.xml, systems.csv and {given.get('systems', 30)} runs in runs/"
    )
    common.say(f"try: diveval evaluate {folder}/qrels.txt {folder}/runs/*.run --weights {folder}/weights.txt")
    return 0


def run_list(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    from diveval.datasets import catalogue

    for dataset in catalogue():
        how = "by hand" if dataset.by_hand else f"{len(dataset.files)} files, {len(dataset.runs)} official runs"
        common.say(f"{dataset.name:<22} {dataset.title} ({how})")
        if dataset.note:
            common.say(f"{'':<22} {dataset.note}")
    return 0


def run_get(arguments: argparse.Namespace) -> int:
    """Show the terms, fetch, and print the folder."""
    from diveval.datasets import find, get

    dataset = find(arguments.name)
    print(f"{dataset.title}\nTerms of use: {dataset.terms}", file=sys.stderr)
    with watching("data get") as progress:
        folder = get(
            dataset,
            directory=arguments.to,
            accept_terms=arguments.accept_terms,
            source_dir=arguments.source,
            runs=arguments.runs,
            progress=progress,
        )
    common.say(str(folder))
    return 0
