#!/usr/bin/env python3
"""Vectors of sentences by a BERT model in numpy, as a reference for crates/sentence; and a tiny model for its tests.

usage: reference.py FOLDER SENTENCE…       prints the vectors as JSON
       reference.py --make FOLDER          writes a tiny model with numbers at random and its vectors into FOLDER
Needs numpy, safetensors and tokenizers.
"""
import json
import math
import os
import sys

import numpy
from safetensors.numpy import load_file, save_file
from tokenizers import BertWordPieceTokenizer, Tokenizer

SENTENCES = ["How many berths are free?", "The quay has forty berths.", "Berths", "", "unknown xyzzy " + "quay " * 40]
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] how many berth ##s are free ? the quay has forty . un ##known a b c".split()


def tokens(folder, text, limit):
    path = os.path.join(folder, "tokenizer.json")
    if os.path.exists(path):
        tokenizer = Tokenizer.from_file(path)
        tokenizer.no_padding()
    else:
        tokenizer = BertWordPieceTokenizer(os.path.join(folder, "vocab.txt"), lowercase=True)
    tokenizer.enable_truncation(limit)
    return tokenizer.encode(text).ids


def encode(folder, text):
    read = lambda name: json.load(open(os.path.join(folder, name), encoding="utf-8"))
    config = read("config.json")
    limit = read("sentence_bert_config.json")["max_seq_length"]
    weights = {name: tensor.astype(numpy.float64) for name, tensor in load_file(os.path.join(folder, "model.safetensors")).items()}
    ids = tokens(folder, text, limit)
    heads, width = config["num_attention_heads"], config["hidden_size"]

    def norm(x, name):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        scaled = (x - mean) / numpy.sqrt(variance + config["layer_norm_eps"])
        return scaled * weights[name + ".weight"] + weights[name + ".bias"]

    dense = lambda x, name: x @ weights[name + ".weight"].T + weights[name + ".bias"]
    erf = numpy.vectorize(math.erf)
    split = lambda x: x.reshape(len(ids), heads, width // heads).transpose(1, 0, 2)
    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{number}."
        query, key, value = (split(dense(x, at + "attention.self." + part)) for part in ("query", "key", "value"))
        likeness = query @ key.transpose(0, 2, 1) / math.sqrt(width // heads)
        likeness = numpy.exp(likeness - likeness.max(-1, keepdims=True))
        attended = (likeness / likeness.sum(-1, keepdims=True)) @ value
        attended = dense(attended.transpose(1, 0, 2).reshape(len(ids), width), at + "attention.output.dense")
        x = norm(attended + x, at + "attention.output.LayerNorm")
        wide = dense(x, at + "intermediate.dense")
        wide = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))
        x = norm(dense(wide, at + "output.dense") + x, at + "output.LayerNorm")
    mean = x.mean(0)
    return mean / numpy.linalg.norm(mean)


def make(folder):
    os.makedirs(folder, exist_ok=True)
    random = numpy.random.default_rng(20261124)
    width, inner, positions = 16, 32, 24
    tensor = lambda *shape: random.normal(0, 0.5, shape).astype(numpy.float32)
    weights = {
        "embeddings.word_embeddings.weight": tensor(len(WORDS), width),
        "embeddings.position_embeddings.weight": tensor(positions, width),
        "embeddings.token_type_embeddings.weight": tensor(2, width),
    }
    norms, denses = ["embeddings.LayerNorm"], []
    for number in range(2):
        at = f"encoder.layer.{number}."
        norms += [at + "attention.output.LayerNorm", at + "output.LayerNorm"]
        denses += [(at + "attention.self." + part, width, width) for part in ("query", "key", "value")]
        denses += [(at + "attention.output.dense", width, width), (at + "intermediate.dense", inner, width), (at + "output.dense", width, inner)]
    for name in norms:
        weights[name + ".weight"], weights[name + ".bias"] = 1 + tensor(width), tensor(width)
    for name, rows, columns in denses:
        weights[name + ".weight"], weights[name + ".bias"] = tensor(rows, columns), tensor(rows)
    save_file(weights, os.path.join(folder, "model.safetensors"))
    write = lambda name, value: open(os.path.join(folder, name), "w", encoding="utf-8").write(value)
    config = {"model_type": "bert", "hidden_size": width, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": inner}
    config |= {"hidden_act": "gelu", "layer_norm_eps": 1e-12, "max_position_embeddings": positions}
    write("config.json", json.dumps(config, indent=1) + "\n")
    write("sentence_bert_config.json", '{"max_seq_length": 20}\n')
    write("vocab.txt", "\n".join(WORDS) + "\n")
    vectors = [{"text": text, "vector": [round(float(n), 6) for n in encode(folder, text)]} for text in SENTENCES]
    write("expected.json", json.dumps(vectors) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "--make":
        make(sys.argv[2])
    else:
        print(json.dumps([encode(sys.argv[1], text).tolist() for text in sys.argv[2:]]))
