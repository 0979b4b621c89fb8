"""Plug-and-play deblurring: least squares by an operator of arrayspan, and a small network of torch that knows what pictures look like.

    python examples/plug_and_play.py --image FILE.npy

The network learns to take noise of any strength away, from generated pictures, in a minute or less. Then half-quadratic splitting turns
between the two (Zhang et al., IEEE TPAMI 44, 2022): the operator's part is a damped least-squares problem on torch's tensors, the
network's part takes the noise away that the other has left. Needs numpy, torch, and matplotlib for the picture.
"""

import argparse
import pathlib

import numpy as np
import torch
from torch import nn

import arrayspan
from arrayspan import operators as ops
from arrayspan import solvers, tools


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--image", type=pathlib.Path, help="a grey picture: FILE.npy [default: a generated one]")
    parser.add_argument("--device", default="cpu", help="cpu or cuda [default: cpu]")
    parser.add_argument("--steps", type=int, default=300, help="of the network's training")
    parser.add_argument("--iterations", type=int, default=8, help="of the splitting")
    parser.add_argument("--noise", type=float, default=0.02, help="standard deviation, beside a white of 1")
    parser.add_argument("--width", type=float, default=2.0, help="of the blur: standard deviation in pixels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/plug_and_play.png"))
    return parser.parse_args()


def generated(shape, count, rng):
    """Ellipses and half-planes of all greys, over each other."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    pictures = np.empty((count, *shape), "float32")
    for picture in pictures:
        picture[:] = rng.random()
        for _ in range(rng.integers(4, 12)):
            centre, angle = rng.random(2) * shape, rng.random() * np.pi
            x, y = rows - centre[0], columns - centre[1]
            along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
            size = np.max(shape) * rng.uniform(0.03, 0.5, 2)
            inside = along > 0 if rng.random() < 0.2 else (along / size[0]) ** 2 + (across / size[1]) ** 2 < 1
            picture[inside] = rng.random()
    return pictures


class Denoiser(nn.Module):
    """The noise in pictures ``(batch, 1, rows, columns)``, whose strength it is told (as FFDNet is)."""

    def __init__(self, channels=24, within=3):
        super().__init__()
        layers = [nn.Conv2d(2, channels, 3, padding=1), nn.ReLU()]
        for _ in range(within):
            layers += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Conv2d(channels, 1, 3, padding=1))

    def forward(self, x, strength):
        strength = torch.as_tensor(strength, dtype=x.dtype, device=x.device).reshape(-1, 1, 1, 1)
        return x - self.layers(torch.cat([x, strength.expand_as(x)], dim=1))


def trained(steps, device, rng):
    """A network that takes noise away, of standard deviations from 0 to 0.2."""
    network = Denoiser().to(device)
    optimiser = torch.optim.Adam(network.parameters(), 2e-3)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, 5e-3, max(steps, 2))
    for step in range(steps):
        clean = torch.from_numpy(generated((32, 32), 8, rng)).unsqueeze(1).to(device)
        strength = 0.2 * torch.rand(8, 1, 1, 1, device=device)
        loss = (network(clean + strength * torch.randn_like(clean), strength) - clean).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rate.step()
        if step % 100 == 0 or step + 1 == steps:
            print(f"  step {step:4}: mean square error {loss.item():.5f}")
    return network.eval()


def deblurred(blur, data, network, noise, iterations):
    """Half-quadratic splitting: ``x ← argmin ‖A x - d‖² + ρ ‖x - z‖²``, ``z ← network(x)``, with less and less noise taken for given."""
    z = data
    strengths = np.geomspace(0.2, noise, iterations)
    for strength in strengths:
        weight = 0.25 * (noise / strength) ** 2
        # What x differs from z by is damped, on the tensors where they are.
        rest = solvers.cgls(blur, data - blur @ z, damping=float(np.sqrt(weight)), iterations=50).x
        with torch.no_grad():
            z = network((z + rest)[None, None], strength)[0, 0]
    return z


def main():
    options = arguments()
    rng = np.random.default_rng(options.seed)
    torch.manual_seed(options.seed)
    if options.image:
        picture = np.load(options.image).astype("float32")
        if picture.ndim == 3:
            picture = picture[..., :3].mean(axis=-1)
        if picture.ndim != 2:
            raise SystemExit(f"--image {options.image}: shape {picture.shape}, expected that of a picture")
        picture = (picture - picture.min()) / max(np.ptp(picture), 1e-20)
    else:
        picture = generated((128, 160), 1, rng)[0]
    picture = torch.from_numpy(picture).to(options.device)

    half = int(np.ceil(3 * options.width))
    taps = np.exp(-0.5 * (np.arange(-half, half + 1) / options.width) ** 2)
    taps /= taps.sum()
    along = [ops.Convolve1D(tuple(picture.shape), taps.tolist(), offset=half, axis=axis) for axis in (0, 1)]
    blur = along[0] @ along[1]
    print(blur)
    data = blur @ picture
    data = data + options.noise * torch.randn_like(data)

    print(f"training on {options.device}, arrayspan {arrayspan.__version__}")
    network = trained(options.steps, options.device, rng)
    # What is compared with is given the damping that is best of all, which nobody knows without the true picture.
    dampings = (0.03, 0.05, 0.1, 0.2, 0.3)
    candidates = [solvers.cgls(blur, data, damping=damping, iterations=100).x for damping in dampings]
    damped = max(candidates, key=lambda x: tools.psnr(picture, x, largest=1.0))
    found = deblurred(blur, data, network, options.noise, options.iterations)

    shown = {"blurred, with noise": data, "damped least squares": damped, "plug and play": found}
    decibels = {name: tools.psnr(picture, x, largest=1.0) for name, x in shown.items()}
    for name, value in decibels.items():
        print(f"{name:20} {value:5.1f} dB")
    draw(options.out, {"true": picture, **shown}, decibels)
    if not decibels["plug and play"] > decibels["blurred, with noise"]:
        raise SystemExit("the picture is no better than before")


def draw(path, pictures, decibels):
    try:
        from matplotlib import pyplot
    except ImportError:
        print("no picture: matplotlib is not installed")
        return
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 8.4), layout="constrained")
    for axis, (name, picture) in zip(axes.flat, pictures.items(), strict=True):
        axis.imshow(picture.cpu().numpy(), cmap="gray", vmin=0, vmax=1)
        axis.set_title(f"{name}: {decibels[name]:.1f} dB" if name in decibels else name)
        axis.set_axis_off()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
