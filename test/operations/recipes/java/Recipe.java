import com.fasterxml.jackson.databind.*;
import java.net.URI;
import java.net.http.*;
import java.util.*;
import javax.crypto.*;
import recipe.extensions.api.*;
import recipe.rest.ApiException;
import recipe.rest.api.OrganizationsApi;
import recipe.rest.model.*;

public class Recipe {
  static final ObjectMapper json = new ObjectMapper();
  static String token = "", credentials = Base64.getEncoder().encodeToString(("robot:" + System.getenv("SECRET")).getBytes());
  static java.time.Instant endsAt = java.time.Instant.MIN;

  public static void main(String[] arguments) throws Exception {
    var rest = new recipe.rest.ApiClient().setRequestInterceptor(Recipe::authorize);
    var extensions = new recipe.extensions.ApiClient().setRequestInterceptor(Recipe::authorize);
    for (var update : List.<java.util.function.Consumer<String>>of(rest::updateBaseUri, extensions::updateBaseUri)) update.accept(System.getenv("REST"));
    var api = new OrganizationsApi(rest);
    var history = new HistoryApi(extensions);
    String start = history.readChanges("now", null, null, null, null).getResult().getCursor(), key = UUID.randomUUID().toString();
    var create = new OrganizationCreate().name("Space agency").description("To the moon");
    Organization made = null;
    for (int wait = 200; made == null; wait *= 5) try { made = api.createOrganization(create, key).getOrganization(); }
      catch (ApiException error) { if (!(error.getCause() instanceof java.io.IOException) || wait > 5000) throw error; Thread.sleep(wait); } // the response was lost
    var change = new OrganizationUpdate().id(made.getId()).name("Lunar agency").description(null);
    String tag = api.getOrganizationWithHttpInfo(made.getId(), null, null).getHeaders().get("etag").get(0);
    var first = api.updateOrganizationWithHttpInfo(change, tag);
    int late = 0;
    try { api.updateOrganization(change, tag); } catch (ApiException error) { late = error.getCode(); } // 412: read again, then decide again
    var updated = api.updateOrganizationWithHttpInfo(change, api.getOrganizationWithHttpInfo(made.getId(), null, null).getHeaders().get("etag").get(0));
    System.out.println("cleared: " + (updated.getData().getOrganization().getDescription() == null) + " statuses: " + first.getStatusCode() + " " + late + " " + updated.getStatusCode());
    try { api.createOrganization(new OrganizationCreate().name(""), null); }
    catch (ApiException error) { System.out.println("invalid: [" + json.readTree(error.getResponseBody()).at("/errors/name/0").asText() + "]"); }
    int pages = 0;
    for (String cursor = null; pages == 0 || cursor != null; pages++) cursor = new QueriesApi(extensions).queryOrganizations(null, null, null, 1, cursor, null, null, null, null, null).getResult().getNextCursor();
    var changes = history.readChanges(start, null, null, null, null).getResult(); // getCursor() is the next after
    System.out.println("several pages: " + (pages > 1) + " changes: " + changes.getData().get(0).getAction() + " " + changes.getData().get(1).getAction());
    var delivery = Map.of("webhook-id", "4711", "webhook-timestamp", "1", "webhook-signature", System.getenv("SIGNATURE"));
    System.out.println("signed: " + isSigned(delivery, "{}", "whsec_a2V5") + " " + isSigned(delivery, "[]", "whsec_a2V5"));
  }
  /** Gets a token, and the next one a minute before it expires. */
  static synchronized void authorize(HttpRequest.Builder request) {
    if (java.time.Instant.now().plusSeconds(60).isAfter(endsAt)) try {
      HttpRequest form = HttpRequest.newBuilder(URI.create(System.getenv("ISSUER") + "/connect/token")).header("Authorization", "Basic " + credentials).header("Content-Type", "application/x-www-form-urlencoded").POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials")).build();
      JsonNode answer = json.readTree(HttpClient.newHttpClient().send(form, HttpResponse.BodyHandlers.ofString()).body());
      token = answer.get("access_token").asText();
      endsAt = java.time.Instant.now().plusSeconds(answer.get("expires_in").asLong());
    } catch (Exception error) { throw new IllegalStateException(error); }
    request.header("Authorization", "Bearer " + token);
  }
  /** Verifies a webhook's message. Also reject one whose webhook-timestamp is older than five minutes. */
  static boolean isSigned(Map<String, String> headers, String body, String secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new javax.crypto.spec.SecretKeySpec(Base64.getDecoder().decode(secret.replace("whsec_", "")), "HmacSHA256"));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal((headers.get("webhook-id") + "." + headers.get("webhook-timestamp") + "." + body).getBytes()))).getBytes();
    return Arrays.stream(headers.get("webhook-signature").split(" ")).anyMatch(signature -> java.security.MessageDigest.isEqual(signature.getBytes(), expected));
  }
}
