import base64
import hmac
import os
import time
import uuid

import httpx
from extensions import Client as ExtensionsClient
from extensions.api.history import read_changes
from extensions.api.queries import query_organizations
from rest import Client
from rest.api.organizations import create_organization, get_organization, update_organization
from rest.models import OrganizationCreate, OrganizationUpdate


class Tokens(httpx.Auth):
    """Gets a token, and the next one a minute before it expires."""
    token, ends_at = "", 0.0

    def auth_flow(self, request):
        if time.time() > self.ends_at - 60:
            form, robot = {"grant_type": "client_credentials"}, ("robot", os.environ["SECRET"])
            answer = httpx.post(os.environ["ISSUER"] + "/connect/token", data=form, auth=robot).json()
            self.token, self.ends_at = answer["access_token"], time.time() + answer["expires_in"]
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


def is_signed(headers, body, secret):
    """Verifies a signature. The receiver must also reject messages whose webhook-timestamp is older than five minutes."""
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(base64.b64decode(secret.removeprefix("whsec_")), content, "sha256")).decode()
    return any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in headers["webhook-signature"].split())

api, extensions = (kind(base_url=os.environ["REST"], httpx_args={"auth": Tokens()}) for kind in (Client, ExtensionsClient))
start = read_changes.sync(client=extensions, after="now").result.cursor
key = str(uuid.uuid4())  # the same over all retries of this request
create = OrganizationCreate(name="Space agency", description="To the moon")
for wait in (0.2, 1, 5):
    try:
        made = create_organization.sync(client=api, body=create, idempotency_key=key).organization
        break
    except httpx.TransportError:  # the response was lost
        time.sleep(wait)
else: raise SystemExit("no response after three attempts")
tag = get_organization.sync_detailed(client=api, id=made.id).headers["ETag"]
change = {"client": api, "body": OrganizationUpdate(id=made.id, name="Lunar agency", description=None)}
statuses = [update_organization.sync_detailed(**change, if_match=tag).status_code for _ in range(2)]
if statuses[1] == 412:  # another client was faster: read again, then decide again
    tag = get_organization.sync_detailed(client=api, id=made.id).headers["ETag"]
    updated = update_organization.sync_detailed(**change, if_match=tag)
print("cleared:", updated.parsed.organization.description is None, "statuses:", *statuses, updated.status_code.value)
print("invalid:", create_organization.sync(client=api, body=OrganizationCreate(name="")).errors["name"])
pages, cursor = 1, query_organizations.sync(client=extensions, page_size=1).result.next_cursor
while cursor:
    pages, cursor = pages + 1, query_organizations.sync(client=extensions, page_size=1, cursor=cursor).result.next_cursor
changes = read_changes.sync(client=extensions, after=start).result  # the next call passes changes.cursor as after
print("several pages:", pages > 1, "changes:", *(str(change.action) for change in changes.data[:2]))
delivery = {"webhook-id": "4711", "webhook-timestamp": "1", "webhook-signature": os.environ["SIGNATURE"]}
print("signed:", is_signed(delivery, b"{}", "whsec_a2V5"), is_signed(delivery, b"[]", "whsec_a2V5"))
