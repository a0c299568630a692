package deploy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Kubernetes returns the problems of a manifest: unknown fields, wrong types,
// image tags that are not fixed, and references to missing objects. It does not
// check required fields and allowed values, which only an API server can.
func Kubernetes(b []byte) []string {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return []string{err.Error()}
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	var m manifest
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(b))); ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return []string{err.Error()}
		}
		object, _, err := strict.Decode(text, nil, nil)
		if err != nil {
			return []string{err.Error()} // further errors would only result from this one
		}
		switch o := object.(type) {
		case *corev1.Secret:
			m.secrets = append(m.secrets, o.Name)
		case *corev1.Service:
			m.services = append(m.services, o)
		case *policyv1.PodDisruptionBudget:
			m.budgets = append(m.budgets, o)
		case *appsv1.StatefulSet:
			m.sets = append(m.sets, o)
		default:
			m.fault("%T is of no kind that these checks know", o)
		}
	}
	m.check()
	return m.faults
}

type manifest struct {
	secrets  []string
	services []*corev1.Service
	budgets  []*policyv1.PodDisruptionBudget
	sets     []*appsv1.StatefulSet
	faults   []string
}

func (m *manifest) fault(format string, a ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, a...))
}

func (m *manifest) check() {
	for _, s := range m.sets {
		if !selects(s.Spec.Selector, s) {
			m.fault("the selector of StatefulSet %s does not select its own pods", s.Name)
		}
		if !slices.ContainsFunc(m.services, func(o *corev1.Service) bool { return o.Name == s.Spec.ServiceName }) {
			m.fault("StatefulSet %s: there is no Service %s", s.Name, s.Spec.ServiceName)
		}
		for _, c := range s.Spec.Template.Spec.TopologySpreadConstraints {
			if !selects(c.LabelSelector, s) {
				m.fault("StatefulSet %s: a spread constraint selects other pods", s.Name)
			}
		}
		for _, c := range s.Spec.Template.Spec.Containers {
			m.container(s, c)
		}
	}
	for _, s := range m.services {
		to := slices.DeleteFunc(slices.Clone(m.sets), func(set *appsv1.StatefulSet) bool {
			return !selects(&metav1.LabelSelector{MatchLabels: s.Spec.Selector}, set)
		})
		if len(to) == 0 {
			m.fault("Service %s selects no pods", s.Name)
		}
		for _, set := range to {
			for _, p := range s.Spec.Ports {
				m.port("Service "+s.Name, p.TargetPort, set.Spec.Template.Spec.Containers)
			}
		}
	}
	for _, b := range m.budgets {
		if !slices.ContainsFunc(m.sets, func(s *appsv1.StatefulSet) bool { return selects(b.Spec.Selector, s) }) {
			m.fault("PodDisruptionBudget %s selects no pods", b.Name)
		}
	}
}

func (m *manifest) container(s *appsv1.StatefulSet, c corev1.Container) {
	m.faults = append(m.faults, unpinned(c.Image)...)
	for _, from := range c.EnvFrom {
		if from.SecretRef != nil && !slices.Contains(m.secrets, from.SecretRef.Name) {
			m.fault("container %s: there is no Secret %s", c.Name, from.SecretRef.Name)
		}
	}
	for _, p := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if p != nil && p.HTTPGet != nil {
			m.port("a probe of "+c.Name, p.HTTPGet.Port, []corev1.Container{c})
		}
	}
	var volumes []string
	for _, v := range s.Spec.Template.Spec.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, v := range s.Spec.VolumeClaimTemplates {
		volumes = append(volumes, v.Name)
	}
	for _, v := range c.VolumeMounts {
		if !slices.Contains(volumes, v.Name) {
			m.fault("container %s: there is no volume %s", c.Name, v.Name)
		}
	}
}

// port returns an error if no container has the port.
func (m *manifest) port(who string, port intstr.IntOrString, containers []corev1.Container) {
	for _, c := range containers {
		for _, p := range c.Ports {
			if p.Name == port.StrVal || p.ContainerPort == port.IntVal {
				return
			}
		}
	}
	m.fault("%s: no container has port %s", who, port.String())
}

// selects reports whether a selector matches the pods of a StatefulSet.
func selects(by *metav1.LabelSelector, s *appsv1.StatefulSet) bool {
	selector, err := metav1.LabelSelectorAsSelector(by)
	return err == nil && !selector.Empty() && selector.Matches(labels.Set(s.Spec.Template.Labels))
}
