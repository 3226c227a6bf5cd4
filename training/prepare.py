#!/usr/bin/env python3
"""Unpacks the data folder (*.jsonl.xz, *.txt.xz) into plain files for rexuninlu-train.

    training/prepare.py FROM… TO [--commercial]

An .xz file that ends early gives what it holds, up to its last whole line. --commercial leaves out
the sets whose licence forbids commercial use or states research only (training/README.md).
"""
import lzma
import pathlib
import sys

NOT_COMMERCIAL = {"c3", "ocnli"}
RESEARCH = {"afqmc", "bustm", "chid_cloze", "cic_intent", "cluener", "cluewsc", "csl_match", "duee",
            "duee_type_hier", "duie_5000", "iflytek", "lcqmc", "msra", "thucnews_title", "car_aspect_hier",
            "car_opinion", "dgre_fault", "xf_event", "xf_tense", "nlpcc2017_headline", "smp2020_ewect"}


def unpack(path, folder):
    decoder = lzma.LZMADecompressor()
    target = folder / path.name.removesuffix(".xz")
    with open(path, "rb") as source, open(target, "wb") as out:
        rest = b""
        while block := source.read(1 << 20):
            rest += decoder.decompress(block)
            cut = rest.rfind(b"\n") + 1
            out.write(rest[:cut])
            rest = rest[cut:]
        if decoder.eof:
            out.write(rest)
    return target


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    if len(words) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(words[-1])
    folder.mkdir(parents=True, exist_ok=True)
    skip = NOT_COMMERCIAL | RESEARCH if "--commercial" in sys.argv else set()
    count = 0
    for source in map(pathlib.Path, words[:-1]):
        for path in sorted(source.glob("*.xz")):
            if path.name.split(".")[0] not in skip:
                unpack(path, folder)
                count += 1
    print(count, "files in", folder)


if __name__ == "__main__":
    main()
