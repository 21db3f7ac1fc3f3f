# noughts with its kernels compiled, run by an ordinary user: docs/install.md says what bot files' sandbox needs of Docker.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE hatch_build.py build_kernels.py ./
COPY src src
COPY examples/bots examples/bots
RUN pip install --no-cache-dir build && HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 python -m build --wheel --outdir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
# The page and its pictures; add others here, comma-separated: [web,rl,llm]
ARG EXTRAS=web
# The user's number: your own (id -u) may write to folders of yours that are mounted.
ARG UID=1000
RUN pip install --no-cache-dir "$(ls /wheels/noughts-*.whl)[${EXTRAS}]" && rm -r /wheels \
    && useradd --create-home --uid ${UID} player && mkdir /work && chown player /work
USER player
WORKDIR /work
EXPOSE 8765
ENTRYPOINT ["noughts"]
CMD ["play", "extreme"]
