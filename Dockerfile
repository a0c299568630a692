# One static program in an image with nothing else: no shell, no package manager, and a user who is not root.
#
#   docker build -t vitrine .
#   docker run -p 8080:8080 -v vitrine:/data -e VITRINE_PUBLIC_URL=http://localhost:8080 vitrine
#
# Programs that some previews are made with (LibreOffice, FFmpeg, libheif) are not in it: files of those kinds have a card in place of
# pages. "docker build --target full" makes an image that has them.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY client/go.mod client/
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/vitrine ./cmd/vitrine \
 && mkdir -m 700 /out/data

FROM debian:bookworm-slim AS full
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates ffmpeg libheif-examples \
      libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 65532 --no-create-home --home-dir /data nonroot
COPY --from=build /out/vitrine /usr/local/bin/vitrine
COPY --from=build --chown=65532:65532 /out/data /data
ENV VITRINE_DATA=/data VITRINE_LISTEN=:8080
VOLUME /data
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/vitrine"]
CMD ["serve"]

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/vitrine /vitrine
COPY --from=build --chown=65532:65532 /out/data /data
ENV VITRINE_DATA=/data VITRINE_LISTEN=:8080
VOLUME /data
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/vitrine"]
CMD ["serve"]
