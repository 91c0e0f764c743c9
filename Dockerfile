# The command vitbackbones with everything that it needs, in the tested versions.
#
#     docker build --tag vitbackbones .                      without CUDA
#     docker build --tag vitbackbones --build-arg TORCH= .   PyPI's torch, for CUDA
#     docker build --tag vitbackbones --build-arg TORCH=cu126 .
#     docker run --rm --volume "$PWD:/work" vitbackbones doctor
#
# docs/install.md says how to run it on a GPU and with files of your own.
FROM python:3.11-slim-bookworm

# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*

COPY . /opt/vitbackbones
WORKDIR /opt/vitbackbones

# torch's build, as for make; CUDA's libraries come with torch, the driver is the host's
ARG TORCH=cpu
ARG EXTRAS=lean,export,hub,pretrained
RUN make .venv/.installed PYTHON=python TORCH="$TORCH" EXTRAS="$EXTRAS" WITH= \
    && rm -rf /root/.cache

# Any user may run it (--user), so that results belong to whoever started it: the home takes
# downloads of all, and torch asks for a name.
RUN useradd --create-home --uid 1000 user && chmod 1777 /home/user && mkdir -m 1777 /work
ENV HOME=/home/user USER=user PATH=/opt/vitbackbones/.venv/bin:$PATH
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["vitbackbones"]
CMD ["--help"]
