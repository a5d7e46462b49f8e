package main
import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	ext "example.com/recipe/extensions"
	"example.com/recipe/rest"
	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	"golang.org/x/oauth2/clientcredentials"
)
func main() {
	ctx, address, key := context.Background(), os.Getenv("REST"), uuid.NewString()
	source := clientcredentials.Config{ClientID: "robot", ClientSecret: os.Getenv("SECRET"), TokenURL: os.Getenv("ISSUER") + "/connect/token"}
	renewing := source.Client(ctx) // requests the next token before this one expires
	api, beyond := must(rest.NewClientWithResponses(address, rest.WithHTTPClient(renewing))), must(ext.NewClientWithResponses(address, ext.WithHTTPClient(renewing)))
	start := must(beyond.ReadChangesWithResponse(ctx, &ext.ReadChangesParams{After: new("now")})).JSON200.Result.Cursor
	create := rest.OrganizationCreate{Name: "Space agency", Description: nullable.NewNullableWithValue("To the moon")}
	made, err := api.CreateOrganizationWithResponse(ctx, &rest.CreateOrganizationParams{IdempotencyKey: &key}, create)
	for retries := 0; err != nil && retries < 3; retries++ { // the response was lost; on a reused connection, net/http itself repeats requests with a key
		time.Sleep(time.Second << retries)
		made, err = api.CreateOrganizationWithResponse(ctx, &rest.CreateOrganizationParams{IdempotencyKey: &key}, create)
	}
	id := must(made, err).JSON200.Organization.Id
	read := func() string { return must(api.GetOrganizationWithResponse(ctx, &rest.GetOrganizationParams{Id: id})).HTTPResponse.Header.Get("ETag") }
	tag, change := read(), rest.OrganizationUpdate{Id: id, Name: "Lunar agency", Description: nullable.NewNullNullable[string]()}
	ifSame := &rest.UpdateOrganizationParams{IfMatch: &tag}
	first, late := must(api.UpdateOrganizationWithResponse(ctx, ifSame, change)), must(api.UpdateOrganizationWithResponse(ctx, ifSame, change))
	tag = read() // a 412 means that another client was faster: read again, then decide again
	updated := must(api.UpdateOrganizationWithResponse(ctx, ifSame, change))
	fmt.Println("cleared:", updated.JSON200.Organization.Description.IsNull(), "statuses:", first.StatusCode(), late.StatusCode(), updated.StatusCode())
	fmt.Println("invalid:", (*must(api.CreateOrganizationWithResponse(ctx, nil, rest.OrganizationCreate{})).JSON400.Errors)["name"])
	pages, query := 1, &ext.QueryOrganizationsParams{PageSize: new(1)}
	for ; pages == 1 || query.Cursor != nil; pages++ {
		query.Cursor = must(beyond.QueryOrganizationsWithResponse(ctx, query)).JSON200.Result.NextCursor
	}
	changes := must(beyond.ReadChangesWithResponse(ctx, &ext.ReadChangesParams{After: &start})).JSON200.Result
	fmt.Println("several pages:", pages > 2, "changes:", changes.Data[0].Action, changes.Data[1].Action) // changes.Cursor is the next After
	delivery := http.Header{"Webhook-Id": {"4711"}, "Webhook-Timestamp": {"1"}, "Webhook-Signature": {os.Getenv("SIGNATURE")}}
	fmt.Println("signed:", isSigned(delivery, []byte("{}"), "whsec_a2V5"), isSigned(delivery, []byte("[]"), "whsec_a2V5"))
}
// Verifies a webhook's message. Also reject one whose webhook-timestamp is older than five minutes.
func isSigned(headers http.Header, body []byte, secret string) bool {
	mac := hmac.New(sha256.New, must(base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))))
	fmt.Fprintf(mac, "%s.%s.%s", headers.Get("webhook-id"), headers.Get("webhook-timestamp"), body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return slices.ContainsFunc(strings.Fields(headers.Get("webhook-signature")), func(signature string) bool { return hmac.Equal([]byte(signature), expected) })
}
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
