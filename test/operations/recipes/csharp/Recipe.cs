using System;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using Newtonsoft.Json.Linq;
using Headers = System.Collections.Generic.Dictionary<string, string>;
static class Recipe {
    static readonly HttpClient http = new HttpClient { BaseAddress = new Uri(Setting("REST")) };
    static (string Value, DateTime EndsAt) token;
    static string Setting(string name) => Environment.GetEnvironmentVariable(name);
    static (int Status, string Tag, JObject Body) Send(HttpRequestMessage request) {
        var answer = http.SendAsync(request).GetAwaiter().GetResult();
        return ((int)answer.StatusCode, answer.Headers.ETag?.Tag, JObject.Parse(answer.Content.ReadAsStringAsync().GetAwaiter().GetResult()));
    }
    static (int Status, string Tag, JObject Body) Call(string method, string path, object body = null, string tag = null, string key = null) {
        if (DateTime.UtcNow.AddMinutes(1) > token.EndsAt) { // gets a token, and the next one a minute before it expires
            var grant = new HttpRequestMessage(HttpMethod.Post, Setting("ISSUER") + "/connect/token") { Content = new FormUrlEncodedContent(new Headers { ["grant_type"] = "client_credentials" }) };
            grant.Headers.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes("robot:" + Setting("SECRET"))));
            var granted = Send(grant).Body;
            token = ((string)granted["access_token"], DateTime.UtcNow.AddSeconds((int)granted["expires_in"]));
        }
        for (var wait = 200; ; wait *= 5) {
            var content = body == null ? null : new StringContent(JObject.FromObject(body).ToString(), Encoding.UTF8, "application/json");
            var request = new HttpRequestMessage(new HttpMethod(method), path) { Content = content };
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token.Value);
            if (tag != null) request.Headers.TryAddWithoutValidation("If-Match", tag);
            if (key != null) request.Headers.Add("Idempotency-Key", key); // the same over all retries of this request
            try {
                return Send(request);
            }
            catch (HttpRequestException) when (wait < 5000 && (method == "GET" || key != null)) { Thread.Sleep(wait); } // the response was lost
        }
    }
    static void Main() {
        var start = (string)(Call("GET", "/ext/changes?after=now")).Body["result"]["cursor"];
        var id = (string)(Call("POST", "/api/organization", new { name = "Space agency", description = "To the moon" }, key: Guid.NewGuid().ToString())).Body["organization"]["id"];
        var change = new { id, name = "Lunar agency", description = (string)null }; // null clears a field; an omitted field stays unchanged
        var tag = (Call("GET", "/api/organization?id=" + id)).Tag;
        var (first, late) = (Call("PATCH", "/api/organization", change, tag), Call("PATCH", "/api/organization", change, tag));
        if (late.Status == 412) tag = (Call("GET", "/api/organization?id=" + id)).Tag; // another client was faster: read again, then decide again
        var updated = Call("PATCH", "/api/organization", change, tag);
        Console.WriteLine($"cleared: {updated.Body["organization"]["description"].Type == JTokenType.Null} statuses: {first.Status} {late.Status} {updated.Status}");
        Console.WriteLine($"invalid: [{(Call("POST", "/api/organization", new { name = "" })).Body["errors"]["name"][0]}]");
        var (pages, cursor) = (0, "");
        for (; cursor != null; pages++) cursor = (string)(Call("GET", "/ext/query/organizations?pageSize=1" + (pages == 0 ? "" : "&cursor=" + Uri.EscapeDataString(cursor)))).Body["result"]["nextCursor"];
        var changes = (Call("GET", "/ext/changes?after=" + Uri.EscapeDataString(start))).Body["result"]; // its cursor is the next after
        Console.WriteLine($"several pages: {pages > 1} changes: {changes["data"][0]["action"]} {changes["data"][1]["action"]}");
        var delivery = new Headers { ["webhook-id"] = "4711", ["webhook-timestamp"] = "1", ["webhook-signature"] = Setting("SIGNATURE") };
        Console.WriteLine($"signed: {IsSigned(delivery, "{}", "whsec_a2V5")} {IsSigned(delivery, "[]", "whsec_a2V5")}");
    }
    // Verifies a webhook's message. Also reject one whose webhook-timestamp is older than five minutes.
    static bool IsSigned(Headers headers, string body, string secret) {
        var mac = new HMACSHA256(Convert.FromBase64String(secret.Replace("whsec_", "")));
        var expected = "v1," + Convert.ToBase64String(mac.ComputeHash(Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{headers["webhook-timestamp"]}.{body}")));
        return headers["webhook-signature"].Split(' ').Any(signature => signature.Length == expected.Length && signature.Zip(expected, (left, right) => left ^ right).Sum() == 0);
    }
}
