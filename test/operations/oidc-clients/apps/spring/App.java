package app;

import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.*;
import org.springframework.security.oauth2.core.*;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.*;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.*;

/** Serves a page that signs users in, and an API with access tokens. SWITCH=on adds the changes of docs/identity.md. */
@SpringBootApplication
@RestController
public class App {
  @Value("${issuer}") String issuer;
  @Value("${switch:}") String isSwitched;

  public static void main(String[] arguments) {
    String registration = "spring.security.oauth2.client.registration.tracker.";
    String issuer = System.getenv("ISSUER");
    SpringApplication app = new SpringApplication(App.class);
    app.setDefaultProperties(Map.of(
        "server.port", System.getenv("PORT"),
        registration + "client-id", System.getenv("CLIENT_ID"),
        registration + "client-secret", System.getenv("CLIENT_SECRET"),
        registration + "scope", "openid,profile,email",
        "spring.security.oauth2.client.provider.tracker.issuer-uri", issuer,
        "spring.security.oauth2.client.provider.tracker.user-name-attribute", "preferred_username",
        "spring.security.oauth2.resourceserver.jwt.issuer-uri", issuer,
        "spring.security.oauth2.resourceserver.jwt.audiences", "svc-api",
        "spring.main.allow-bean-definition-overriding", "true"));
    app.run(arguments);
  }

  @GetMapping("/") String home(@AuthenticationPrincipal OidcUser user) { return "Signed in: " + user.getPreferredUsername(); }
  @GetMapping("/api") String api(@AuthenticationPrincipal Jwt token) { return "Token of: " + token.getSubject(); }

  @Bean @Order(1)
  SecurityFilterChain resourceServer(HttpSecurity http) throws Exception {
    http.securityMatcher("/api").authorizeHttpRequests(all -> all.anyRequest().authenticated());
    return http.oauth2ResourceServer(server -> server.jwt(jwt -> {
      if (!isSwitched.isEmpty()) jwt.decoder(decoder());
    })).build();
  }

  @Bean @Order(2)
  SecurityFilterChain login(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    http.authorizeHttpRequests(all -> all.anyRequest().authenticated());
    if (isSwitched.isEmpty()) return http.oauth2Login(login -> {}).build();
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    return http.oauth2Login(login -> login.authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(resolver))).build();
  }

  JwtDecoder decoder() {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(
        new JwtTimestampValidator(),
        new JwtIssuerValidator(issuer),
        new JwtTypeValidator("at+jwt"),
        new JwtClaimValidator<List<String>>("aud", audience -> audience != null && audience.contains("svc-api"))));
    return decoder;
  }
}
