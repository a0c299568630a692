package api_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/test/webtest"
)

// hook is the request for a webhook.
var hook = webtest.Fields{"url": "https://hook.example/a"}

// The requests of the tests of documented errors.
func init() {
	maps.Copy(validRequests, map[string]func(c caller) webtest.Answer{
		"listWebhooks":  func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/webhooks", nil) },
		"createWebhook": func(c caller) webtest.Answer { return c.Call(c.key, "POST", "/webhooks", hook) },
		"getWebhook":    func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/webhooks/0", nil) },
		"updateWebhook": func(c caller) webtest.Answer {
			return c.Call(c.key, "PATCH", "/webhooks/0", webtest.Fields{"label": "x"})
		},
		"deleteWebhook":  func(c caller) webtest.Answer { return c.Call(c.key, "DELETE", "/webhooks/0", nil) },
		"testWebhook":    func(c caller) webtest.Answer { return c.Call(c.key, "POST", "/webhooks/0/test", nil) },
		"rotateWebhook":  func(c caller) webtest.Answer { return c.Call(c.key, "POST", "/webhooks/0/rotate", nil) },
		"listDeliveries": func(c caller) webtest.Answer { return c.Call(c.key, "GET", "/webhooks/0/deliveries", nil) },
		"resendDelivery": func(c caller) webtest.Answer {
			return c.Call(c.key, "POST", "/webhooks/0/deliveries/1/resend", nil)
		},
	})
	for route, op := range map[string]string{"GET /api/v1/webhooks/{id}": "getWebhook",
		"PATCH /api/v1/webhooks/{id}": "updateWebhook", "DELETE /api/v1/webhooks/{id}": "deleteWebhook",
		"POST /api/v1/webhooks/{id}/test": "testWebhook", "POST /api/v1/webhooks/{id}/rotate": "rotateWebhook",
		"GET /api/v1/webhooks/{id}/deliveries":                    "listDeliveries",
		"POST /api/v1/webhooks/{id}/deliveries/{delivery}/resend": "resendDelivery"} {
		ofNoUpload[route] = validRequests[op]
	}
	maps.Copy(paths, map[string]string{"listWebhooks": "/webhooks", "createWebhook": "/webhooks",
		"getWebhook": "/webhooks/0", "updateWebhook": "/webhooks/0", "deleteWebhook": "/webhooks/0",
		"testWebhook": "/webhooks/0/test", "rotateWebhook": "/webhooks/0/rotate",
		"listDeliveries": "/webhooks/0/deliveries", "resendDelivery": "/webhooks/0/deliveries/1/resend"})
	provoked[vitrine.CodeNotFound]["createWebhook"] = func(c caller, op string) webtest.Answer {
		return c.Call(c.key, "POST", paths[op], hook.With(webtest.Fields{"links": []string{"nope"}}))
	}
	provoked[vitrine.CodeInvalidJSON]["updateWebhook"] = func(c caller, op string) webtest.Answer {
		return c.Call(c.key, "PATCH", paths[op], "label=x")
	}
	maps.Copy(provoked[vitrine.CodeInvalidRequest], map[string]func(c caller, op string) webtest.Answer{
		"updateWebhook": func(c caller, op string) webtest.Answer {
			return c.Call(c.key, "PATCH", paths[op], webtest.Fields{"label": 5})
		},
		"testWebhook": func(c caller, _ string) webtest.Answer { return c.Call(c.key, "POST", c.offHook()+"/test", nil) },
		"rotateWebhook": func(c caller, _ string) webtest.Answer { // of a chat, which has none
			return c.Call(c.key, "POST", c.hooked(webtest.Fields{"format": "slack"})+"/rotate", nil)
		},
		"listDeliveries": func(c caller, op string) webtest.Answer { return c.Call(c.key, "GET", paths[op]+"?cursor=!!", nil) },
		"resendDelivery": func(c caller, _ string) webtest.Answer {
			path := c.hooked(nil)
			d := c.Call(c.key, "POST", path+"/test", nil).Want(200, "").Text("id")
			c.Call(c.key, "PATCH", path, webtest.Fields{"enabled": false}).Want(200, "")
			return c.Call(c.key, "POST", path+"/deliveries/"+d+"/resend", nil)
		},
	})
}

// hooked returns the path of the first webhook of the account, which is made if
// there is none. A suspended account has none.
func (c caller) hooked(more webtest.Fields) string {
	c.T.Helper()
	list, _ := c.Call(c.owner(), "GET", "/webhooks", nil).JSON()["webhooks"].([]any)
	if len(list) > 0 {
		return "/webhooks/" + list[0].(map[string]any)["id"].(string)
	}
	a := c.Call(c.owner(), "POST", "/webhooks", hook.With(more))
	if a.Status != 200 {
		return "/webhooks/0"
	}
	return "/webhooks/" + a.Text("id")
}

// offHook returns the path of a webhook that is off.
func (c caller) offHook() string {
	c.T.Helper()
	path := c.hooked(nil)
	c.Call(c.key, "PATCH", path, webtest.Fields{"enabled": false}).Want(200, "")
	return path
}

// webhookExamples checks the examples of webhooks, with a receiver.
func (c caller) webhookExamples(slug string, check func(string, webtest.Answer),
	request func(string, webtest.Fields) webtest.Fields) {
	c.T.Helper()
	var fails atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if fails.Load() {
			w.WriteHeader(500)
			return
		}
		_, _ = w.Write([]byte("ok"))
	}))
	c.T.Cleanup(receiver.Close)
	hooks := c.Server.Webhooks
	hooks.Guard.Networks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	made := c.Call(c.key, "POST", "/webhooks", request("createWebhook", webtest.Fields{"url": receiver.URL,
		"links": []string{slug}, "types": []string{"link.disabled"}}))
	check("createWebhook", made)
	path := "/webhooks/" + made.Text("id")
	check("listWebhooks", c.Call(c.key, "GET", "/webhooks", nil))
	check("getWebhook", c.Call(c.key, "GET", path, nil))
	check("updateWebhook", c.Call(c.key, "PATCH", path, request("updateWebhook", nil)))
	check("rotateWebhook", c.Call(c.key, "POST", path+"/rotate", nil))
	c.Call(c.key, "PATCH", "/links/"+slug, webtest.Fields{"disabled": true}).Want(200, "")
	c.Check(hooks.Send(c.T.Context()))
	list := c.Call(c.key, "GET", path+"/deliveries", nil)
	check("listDeliveries", list)
	check("testWebhook", c.Call(c.key, "POST", path+"/test", nil))
	c.Check(hooks.Send(c.T.Context()))
	sent := path + "/deliveries/" + list.JSON()["deliveries"].([]any)[0].(map[string]any)["id"].(string) + "/resend"
	fails.Store(true)
	c.Call(c.key, "POST", sent, nil).Want(200, "")
	c.Check(hooks.Send(c.T.Context()))
	check("resendDelivery", c.Call(c.key, "POST", sent, nil))
}
