"""Serves a page that signs users in with the library of the argument. SWITCH=on adds the change of docs/identity.md."""
import os
import secrets
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

ISSUER, PORT, SWITCH = os.environ["ISSUER"], int(os.environ["PORT"]), os.environ.get("SWITCH", "")
CLIENT_ID, CLIENT_SECRET = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]
CALLBACK = f"http://localhost:{PORT}/callback"
AUTHORIZE, TOKEN, USERINFO = (f"{ISSUER}/connect/{name}" for name in ("authorize", "token", "userinfo"))
SCOPES = ["openid", "profile", "email"]
# These libraries require TLS unless this is set.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def requests_oauthlib():
    from requests_oauthlib import OAuth2Session

    session = OAuth2Session(CLIENT_ID, redirect_uri=CALLBACK, scope=SCOPES, **({"pkce": "S256"} if SWITCH else {}))

    def callback(url):
        session.fetch_token(TOKEN, authorization_response=url, client_secret=CLIENT_SECRET)
        return session.get(USERINFO).json()["preferred_username"]

    return lambda: session.authorization_url(AUTHORIZE)[0], callback


def authlib_session():
    from authlib.integrations.requests_client import OAuth2Session

    options, verifier = ({"code_challenge_method": "S256"}, secrets.token_urlsafe(48)) if SWITCH else ({}, None)
    session = OAuth2Session(CLIENT_ID, CLIENT_SECRET, redirect_uri=CALLBACK, scope=SCOPES, **options)
    state = secrets.token_urlsafe()

    def callback(url):
        session.fetch_token(TOKEN, authorization_response=url, state=state, code_verifier=verifier)
        return session.get(USERINFO).json()["preferred_username"]

    return lambda: session.create_authorization_url(AUTHORIZE, state=state, code_verifier=verifier)[0], callback


def serve(start, finish):
    class Pages(BaseHTTPRequestHandler):
        def do_GET(self):
            if urlsplit(self.path).path != "/callback":
                self.send_response(302)
                self.send_header("Location", start())
                return self.end_headers()
            try:
                text = f"Signed in: {finish(f'http://localhost:{PORT}{self.path}')}"
            except Exception as error:
                text = repr(error)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    HTTPServer(("127.0.0.1", PORT), Pages).serve_forever()


def flask_with_authlib():
    from authlib.integrations.flask_client import OAuth
    from flask import Flask

    app = Flask(__name__)
    app.secret_key = CLIENT_SECRET
    scope = {"scope": " ".join(SCOPES), **({"code_challenge_method": "S256"} if SWITCH else {})}
    tracker = OAuth(app).register(
        "tracker",
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
        client_kwargs=scope,
    )
    app.add_url_rule("/", "home", lambda: tracker.authorize_redirect(CALLBACK))
    app.add_url_rule(
        "/callback", "callback", lambda: f"Signed in: {tracker.authorize_access_token()['userinfo']['preferred_username']}"
    )
    app.run("127.0.0.1", PORT)


def mozilla_django_oidc():
    from django.conf import settings
    from django.core.management import call_command
    from django.http import HttpResponse
    from django.urls import include, path

    settings.configure(
        SECRET_KEY=CLIENT_SECRET,
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF=__name__,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        LOGIN_REDIRECT_URL="/",
        LOGIN_REDIRECT_URL_FAILURE="/failed",
        OIDC_RP_CLIENT_ID=CLIENT_ID,
        OIDC_RP_CLIENT_SECRET=CLIENT_SECRET,
        OIDC_RP_SIGN_ALGO="RS256",
        OIDC_RP_SCOPES=" ".join(SCOPES),
        OIDC_OP_AUTHORIZATION_ENDPOINT=AUTHORIZE,
        OIDC_OP_TOKEN_ENDPOINT=TOKEN,
        OIDC_OP_USER_ENDPOINT=USERINFO,
        OIDC_OP_JWKS_ENDPOINT=f"{ISSUER}/.well-known/openid-configuration/jwks",
        **({"OIDC_USE_PKCE": True} if SWITCH else {}),
    )
    global urlpatterns
    urlpatterns = [
        path("oidc/", include("mozilla_django_oidc.urls")),
        path("failed", lambda request: HttpResponse("failed")),
        path("", lambda request: HttpResponse(f"Signed in: {request.user.email}" if request.user.is_authenticated else "nobody")),
    ]
    import django

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("runserver", f"127.0.0.1:{PORT}", "--noreload", verbosity=0)


apps = {
    "requests-oauthlib": lambda: serve(*requests_oauthlib()),
    "authlib-session": lambda: serve(*authlib_session()),
    "authlib": flask_with_authlib,
    "mozilla-django-oidc": mozilla_django_oidc,
}
if __name__ == "__main__":
    apps[sys.argv[1]]()
