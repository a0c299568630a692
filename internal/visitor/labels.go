package visitor

import "slices"

// Devices returns the labels of devices.
func Devices() []string { return []string{Desktop, Mobile, Tablet, TV, Other} }

// plainBrowsers are the browsers that browserIn finds without a table.
var plainBrowsers = []string{"Chrome", "Safari", "Android Browser", "Android WebView", "iOS WebView"}

// Browsers returns the labels of browsers, and of apps that show pages, in
// alphabetical order.
func Browsers() []string {
	all := append(apps.labels(), browsers.labels()...)
	for _, b := range brandNames {
		all = append(all, b.name)
	}
	return sorted(append(all, plainBrowsers...))
}

// Systems returns the labels of operating systems in alphabetical order.
func Systems() []string { return sorted(systems.labels()) }

// SourceOf returns the source of a visit whose address has an utm_source: the
// name of a known site, or the text itself.
func SourceOf(utm string) string { return campaign(utm) }

// CampaignOf returns the label of another utm parameter.
func CampaignOf(utm string) string { return campaignLabel(utm) }

func (t *table) labels() []string {
	labels := make([]string, len(t.names))
	for i, n := range t.names {
		labels[i] = n.label
	}
	return labels
}

func sorted(labels []string) []string {
	slices.Sort(labels)
	return slices.Compact(labels)
}
