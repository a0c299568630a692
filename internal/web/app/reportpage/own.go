package reportpage

import (
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// maxOwn bounds the form of the setting.
const maxOwn = 4 << 10

// CountOwn changes the setting "Count my own visits": count is "yes" or "no",
// and back the page of the form.
func (s *Handler) CountOwn(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxOwn); err != nil {
		return err
	}
	count := r.PostForm.Get("count")
	if count != "yes" && count != "no" {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose whether your own visits count: yes or no.")
	}
	if err := s.OwnViews.SetCount(r.Context(), me.ID, count == "yes"); err != nil {
		return err
	}
	back, _, _ := strings.Cut(r.PostForm.Get("back"), "#")
	if path, _, _ := strings.Cut(back, "?"); path != analyticsRoot &&
		!(strings.HasPrefix(path, "/links/") && strings.HasSuffix(path, analyticsRoot)) {
		back = analyticsRoot
	}
	return httpx.Redirect(w, r, back+"#own")
}
