"""Models of `noughts train` that somebody else made: with a right checksum, and with anything in them."""

import hashlib
import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import noughts
from noughts.cli import main
from noughts.files import DIGEST_BYTES, seal
from noughts.learn import Training, load_model, preset, resume
from noughts.learn.kernels import qlearning as q
from noughts.learn.model import MARK
from noughts.players import make_player
from noughts.untrusted import FileKind

START = len(MARK) + DIGEST_BYTES


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Small runs of both kinds of table."""
    folder = tmp_path_factory.mktemp("models")
    rules = noughts.load_game("classic").rules
    for name, chosen in {
        "pairs": {"episodes": 300},
        "rates": {"episodes": 300, "alpha_power": 0.8},
        "afterstates": {"episodes": 300, "symmetry": True},
    }.items():
        run = Training(preset("published", rules, chosen)).finish()
        (folder / name).mkdir()
        run.save(folder / name)
    return folder


def unpacked(path):
    with np.load(io.BytesIO(path.read_bytes()[START:])) as archive:
        return dict(archive)


def sealed(payload):
    return MARK + hashlib.sha256(payload).digest() + payload


def packed(arrays, save=np.savez):
    archive = io.BytesIO()
    save(archive, **arrays)
    return sealed(archive.getvalue())


def refused(path, data):
    path.write_bytes(data)
    with pytest.raises(ValueError, match="model"):
        load_model(path)
    with pytest.raises(ValueError, match="model"):
        make_player(f"q:{path}")
    assert main(["train", "--resume", str(path), "--no-plots"]) == 2


@pytest.mark.parametrize("kind", ["pairs", "rates", "afterstates"])
def test_a_model_that_nobody_touched_is_read(models, tmp_path, kind):
    arrays = unpacked(models / kind / "model.q")
    (tmp_path / "model.q").write_bytes(packed(arrays))
    settings, table, history = load_model(tmp_path)
    assert settings.episodes == 300
    assert all(np.array_equal(table.arrays()[name], arrays[name]) for name in ("values", "counts", "stream"))
    assert resume(tmp_path, 600).finish().episode == 600
    assert len(history) == 3


CHANGES = {
    "shorter": lambda array: array[:-1],
    "longer": lambda array: np.concatenate([array, array[:1]]),
    "empty": lambda array: array[:0],
    "flat": lambda array: array.reshape(-1, 1),
    "retyped": lambda array: array.astype(np.float32 if array.dtype != np.float32 else np.int8),
    "bytes": lambda array: np.frombuffer(array.tobytes(), np.uint8),
    "text": lambda array: array.astype(str),
}


@pytest.mark.parametrize("kind", ["pairs", "rates", "afterstates"])
@pytest.mark.parametrize("change", CHANGES)
def test_an_array_of_another_shape_or_type_is_refused(models, tmp_path, kind, change):
    arrays = unpacked(models / kind / "model.q")
    for name, array in arrays.items():
        if name == "visits" and kind != "rates" and change in ("shorter", "longer", "empty"):
            continue  # without rates they are not looked at
        if name == "history" and change in ("shorter", "longer", "empty", "flat"):
            continue  # any number of checkpoints will do, and what they are is asked when the run goes on
        if name == "settings" and change == "bytes":
            continue  # it is bytes
        refused(tmp_path / "model.q", packed({**arrays, name: CHANGES[change](array)}))
        refused(tmp_path / "model.q", packed({key: value for key, value in arrays.items() if key != name}))


HUGE = 2**63 - 1


@pytest.mark.parametrize("kind", ["pairs", "rates"])
@pytest.mark.parametrize("value", [-1, -HUGE, HUGE, "length", 10**15])
@pytest.mark.parametrize("name", ["starts", "codes", "counts"])
def test_numbers_that_lead_out_of_the_arrays_are_refused(models, tmp_path, kind, name, value):
    """Compiled code reads and writes there without asking."""
    arrays = unpacked(models / kind / "model.q")
    places = (q.EPISODE, q.PAIRS, q.POSITIONS) if name == "counts" else (0, len(arrays[name]) // 2, -1)
    for place in places:
        array = arrays[name].copy()
        array[place] = len(arrays["values"]) + 1 if value == "length" else value
        if name == "codes" and value == "length":
            array[place] = 1 << 18  # a cell more than the board has
        refused(tmp_path / "model.q", packed({**arrays, name: array}))


def test_the_values_of_a_position_must_all_be_there(models, tmp_path):
    arrays = unpacked(models / "pairs" / "model.q")
    last = arrays["starts"].argmax()
    starts = arrays["starts"].copy()
    starts[last] += 1
    refused(tmp_path / "model.q", packed({**arrays, "starts": starts}))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["values", "history"])
def test_what_is_no_number_is_refused(models, tmp_path, name, value):
    arrays = unpacked(models / "pairs" / "model.q")
    array = arrays[name].copy()
    array.flat[0] = value
    refused(tmp_path / "model.q", packed({**arrays, name: array}))


def test_a_position_twice_is_refused(models, tmp_path):
    arrays = unpacked(models / "afterstates" / "model.q")
    codes = arrays["codes"].copy()
    codes[1] = codes[0]
    refused(tmp_path / "model.q", packed({**arrays, "codes": codes}))


def test_an_archive_cannot_be_larger_than_its_file(models, tmp_path):
    """Compressed zeros, members that share their bytes, headers that promise more than there is."""
    arrays = unpacked(models / "pairs" / "model.q")
    zeros = {**arrays, "values": np.zeros(10_000_000)}
    refused(tmp_path / "model.q", packed(zeros, np.savez_compressed))
    shared = io.BytesIO()
    with zipfile.ZipFile(shared, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
        for info in list(archive.infolist()):
            for copy in range(20):
                other = zipfile.ZipInfo(f"{copy}{info.filename}")
                for field in ("header_offset", "CRC", "compress_size", "file_size"):
                    setattr(other, field, getattr(info, field))
                archive.filelist.append(other)
    refused(tmp_path / "model.q", sealed(shared.getvalue()))
    plain = packed(arrays)[START:]
    for shape in ("(9999999999,)", "(999999999999, 999999999999)", "(-1,)", "()", "(((((((((((((1)))))))))))))"):
        at = plain.index(b"'shape': (", plain.index(b"values.npy"))
        end = plain.index(b"}", at)
        text = f"'shape': {shape}, ".encode().ljust(end - at)[: end - at]
        refused(tmp_path / "model.q", sealed(plain[:at] + text + plain[end:]))
    pickled = {**arrays, "values": np.array([{"a": 1}], dtype=object)}
    refused(tmp_path / "model.q", packed(pickled))


def settings_of(models):
    arrays = unpacked(models / "pairs" / "model.q")
    return arrays, json.loads(arrays["settings"].tobytes())


def with_settings(arrays, text):
    return packed({**arrays, "settings": np.frombuffer(text.encode(), np.uint8)})


@pytest.mark.parametrize("text", ["[" * 100_000, "{}", "null", "[]", "7", '{"a":' * 5000, "1" * 5000, "", "\x00"])
def test_settings_that_are_none_are_refused(models, tmp_path, text):
    arrays, _ = settings_of(models)
    refused(tmp_path / "model.q", with_settings(arrays, text))


HOSTILE = [None, [], {}, "x", -1, 10**30, 10**400, 1e308, float("inf"), float("nan"), [[[[1]]]], True, "\x1b[2J", ""]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value)[:12])
def test_settings_of_any_kind_are_a_sentence_or_a_run(models, tmp_path, value, capsys):
    """No setting of a file ends in a traceback, whatever it is; most are refused."""
    arrays, settings = settings_of(models)
    for name in settings:
        for changed in ({**settings, name: value}, {**settings, "rules": {**settings["rules"], name: value}}):
            (tmp_path / "model.q").write_bytes(with_settings(arrays, json.dumps(changed)))
            try:
                loaded, _, _ = load_model(tmp_path)
            except ValueError:
                continue
            assert loaded.record()[name] == changed[name] or name in ("track", "rules")
            assert main(["train", "--resume", str(tmp_path), "--no-plots", "--json", "--episodes", "600"]) in (0, 2)
    capsys.readouterr()


def test_a_run_with_other_columns_is_refused(models, tmp_path, capsys):
    arrays = unpacked(models / "pairs" / "model.q")
    (tmp_path / "model.q").write_bytes(packed({**arrays, "history": np.zeros((3, 2))}))
    assert main(["train", "--resume", str(tmp_path), "--no-plots", "--episodes", "600"]) == 2
    assert "checkpoints have 2 numbers" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x" * 4000, "a\x00b", "/dev/zero", "", "."])
def test_paths_that_are_no_model(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("noughts.learn.model.MODEL", FileKind("a model", 1 << 20))
    with pytest.raises(ValueError, match=r"model|null|link"):
        make_player(f"q:{name}")


def test_a_model_says_how_large_its_game_is_before_the_game_is_solved(tmp_path, monkeypatch):
    """15 KB of a game on 4x4 would take 1.2 GB, and leave 0.3 GB in the cache."""
    lines = [tuple(range(row, row + 4)) for row in range(0, 16, 4)]
    four = replace(noughts.load_game("classic").rules, name="four", title="Four", side=4, lines=(*lines, (0, 5)))
    arrays = {name: np.zeros(1, kind) for name, kind in (("codes", np.int64), ("values", float), ("visits", np.int32))}
    arrays |= {"counts": np.zeros(q.COUNT_WORDS, np.int64), "stream": np.zeros(1, np.uint64)}
    arrays["settings"] = np.frombuffer(json.dumps(preset("self", four, {}).record()).encode(), np.uint8)
    archive = io.BytesIO()
    np.savez(archive, **arrays, history=np.zeros((1, 4)))
    seal(tmp_path / "model.q", MARK, archive.getvalue())
    kept = []
    monkeypatch.setattr("noughts.solving.solution.keep_graph", lambda *graph: kept.append(graph))
    with pytest.raises(ValueError, match="four has more than 1 positions"):
        load_model(tmp_path / "model.q")
    assert not kept
