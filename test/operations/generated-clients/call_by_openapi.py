"""Reads, writes and gets errors with the clients that openapi-python-client generated."""
import importlib
import os

rest = importlib.import_module("python_rest")
create = importlib.import_module("python_rest.api.organizations.create_organization")
listing = importlib.import_module("python_rest.api.projects.list_projects")
models = importlib.import_module("python_rest.models")
people = importlib.import_module("python_extensions.api.people.list_people")
extensions = importlib.import_module("python_extensions")

client = rest.AuthenticatedClient(base_url=os.environ["REST"], token=os.environ["TOKEN"])
made = create.sync_detailed(client=client, body=models.OrganizationCreate(name="By Python"))
assert made.status_code == 200 and made.parsed.organization.name == "By Python", made
page = listing.sync(client=client, page_size=2)
assert page.result.page_size == 2, page
rejected = create.sync_detailed(client=client, body=models.OrganizationCreate(name=" "))
assert rejected.status_code == 400 and rejected.parsed.message, rejected
found = people.sync(client=extensions.AuthenticatedClient(base_url=os.environ["REST"], token=os.environ["TOKEN"]))
assert found.result.total_count >= 1, found
print("openapi-python-client: created", made.parsed.organization.id)
