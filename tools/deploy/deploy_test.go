package deploy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// settings are those without which compose.scaled.yaml does not start.
var settings = []string{"POSTGRES_PASSWORD=a", "AWS_ACCESS_KEY_ID=b", "AWS_SECRET_ACCESS_KEY=c"}

// TestFiles checks that the files of the repository have no faults, and that a
// fault in a copy of one is found.
func TestFiles(t *testing.T) {
	t.Parallel()
	type broken struct{ name, from, to, want string }
	for _, f := range []struct {
		name  string
		check func(b []byte) []string
		each  []broken
	}{
		{"Dockerfile", Dockerfile, []broken{
			{"instruction", "EXPOSE 8080", "EXPOES 8080", "unknown instruction"},
			{"stage", "COPY --from=build /out/vitrine /vitrine", "COPY --from=built /out/vitrine /vitrine",
				"image built has no tag"},
			{"flag", "COPY --from=build", "COPY --form=build", "unknown flag"},
			{"variable", "ARG VERSION=dev\nRUN", "ARG VERSION=dev\nWORKDIR /src/$VERSOIN\nRUN", "UndefinedVar"},
			{"command", `CMD ["serve"]`, "CMD serve", "JSONArgsRecommended"},
			{"secret", "ARG VERSION=dev", "ARG VERSION=dev\nENV DATABASE_PASSWORD=x", "SecretsUsedInArgOrEnv"},
			{"no tag", "debian:bookworm-slim", "debian", "image debian has no tag"},
			{"latest", "golang:1.26-bookworm", "golang:latest", "image golang:latest: the tag names no version"},
		}},
		{"compose.yaml", inDir(root), []broken{
			{"field", "restart:", "restrat:", "services.vitrine.restrat false schema"},
			{"type", "read_only: true", "read_only: [true]", "read_only"},
			{"duration", "interval: 10s", "interval: often", "often"},
			{"volume", "volumes: {vitrine: }", "volumes: {data: }", "undefined volume vitrine"},
			{"YAML", "services:", "services:\n\t- x", "yaml"},
			{"context", "build: .", "build: deploy", "deploy/Dockerfile"},
		}},
		{"deploy/compose.scaled.yaml", inDir(root+"/deploy", settings...), []broken{
			{"field", "stop_grace_period:", "stop_graceperiod:", "stop_graceperiod false schema"},
			{"service", "depends_on: [vitrine-1, vitrine-2]", "depends_on: [vitrine-1, vitrine-3]", "vitrine-3"},
			{"config", "configs: [{source: clamd,", "configs: [{source: clamav,", "undefined config clamav"},
			{"context", "build: ..", "build: .", "deploy/Dockerfile"},
			{"mount", "./Caddyfile:", "./deploy/Caddyfile:", "deploy/deploy/Caddyfile"},
			{"no tag", "postgres:17", "postgres", "image postgres has no tag"},
			{"latest", "versity/versitygw:v1.8.0", "versity/versitygw:latest", "the tag names no version"},
		}},
		{"deploy/kubernetes.yaml", Kubernetes, []broken{
			{"field", "podManagementPolicy:", "podManagmentPolicy:", `unknown field "spec.podManagmentPolicy"`},
			{"field of a container", "readOnlyRootFilesystem:", "readonlyRootFilesystem:", "unknown field"},
			{"twice", "replicas: 2", "replicas: 2\n  replicas: 3", `"replicas" already set`},
			{"type", "replicas: 2", `replicas: "2"`, "cannot unmarshal string"},
			{"quantity", "memory: 1Gi", "memory: 1 GB", "quantities must match"},
			{"kind", "kind: StatefulSet", "kind: StatefullSet", "no kind"},
			{"version", "apiVersion: policy/v1", "apiVersion: policy/v1beta1", "no kind"},
			{"labels", "      labels: {app: vitrine}", "      labels: {app: vitrin}", "does not select its own pods"},
			{"port", "ports:\n    - {name: http, port: 80, targetPort: http}",
				"ports:\n    - {name: http, port: 80, targetPort: web}", "no container has port web"},
			{"probe", "httpGet: {path: /readyz, port: http}", "httpGet: {path: /readyz, port: 80}",
				"no container has port 80"},
			{"secret", "secretRef: {name: vitrine}", "secretRef: {name: vitrin}", "there is no Secret vitrin"},
			{"service", "serviceName: vitrine", "serviceName: other", "there is no Service other"},
			{"volume", "{name: tmp, mountPath: /tmp}", "{name: temp, mountPath: /tmp}", "there is no volume temp"},
			{"latest", "vitrine:v1.0.0", "vitrine:latest", "the tag names no version"},
		}},
	} {
		b, err := os.ReadFile(filepath.Join(root, f.name))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(f.name, func(t *testing.T) {
			for _, fault := range f.check(b) {
				t.Error(fault)
			}
		})
		for _, c := range f.each {
			t.Run(f.name+"/"+c.name, func(t *testing.T) {
				text := strings.Replace(string(b), c.from, c.to, 1)
				if text == string(b) {
					t.Fatalf("the file lacks %q", c.from)
				}
				if found := strings.Join(f.check([]byte(text)), "\n"); !strings.Contains(found, c.want) {
					t.Errorf("found %q, want %q", found, c.want)
				}
			})
		}
	}
}

// TestComposeSettings checks that the scaled file does not start without its
// passwords, and that the error names the missing one.
func TestComposeSettings(t *testing.T) {
	t.Parallel()
	b, dir := scaled(t)
	for i, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		others := append(append([]string{}, settings[:i]...), settings[i+1:]...)
		if found := strings.Join(Compose(b, dir, others...), "\n"); !strings.Contains(found, name) {
			t.Errorf("without %s: %q", name, found)
		}
	}
}

// TestComposeName checks that the volumes of the scaled file have the name of
// the program, and not that of the file's directory, which other projects have
// as well.
func TestComposeName(t *testing.T) {
	t.Parallel()
	b, dir := scaled(t)
	project, err := load(b, dir, settings)
	if err != nil {
		t.Fatal(err)
	}
	if project.Name != "vitrine" {
		t.Errorf("the project is named %q", project.Name)
	}
}

func scaled(t *testing.T) (b []byte, dir string) {
	t.Helper()
	dir = filepath.Join(root, "deploy")
	b, err := os.ReadFile(filepath.Join(dir, "compose.scaled.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return b, dir
}

// inDir returns the check of a Compose file in a directory.
func inDir(dir string, settings ...string) func([]byte) []string {
	return func(b []byte) []string { return Compose(b, dir, settings...) }
}
