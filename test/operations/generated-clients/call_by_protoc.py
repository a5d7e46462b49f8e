"""Creates an organization, and sends a timestamp of nine digits and an invalid command, with the classes of protoc."""
import os

import grpc
from tracker.commands.v1 import commands_pb2, commands_pb2_grpc
from tracker.ext.v1 import commands_pb2_grpc as extensions

channel = grpc.insecure_channel(os.environ["COMMANDS"])
metadata = [("authorization", f"Bearer {os.environ['TOKEN']}")]
client = commands_pb2_grpc.CommandsStub(channel)
made = client.CreateOrganization(
    commands_pb2.CreateOrganizationCommand(name="By protoc"), metadata=metadata, timeout=30
)
assert made.success and made.organization.name == "By protoc", made
organization = made.organization.id
project = client.CreateProject(
    commands_pb2.CreateProjectCommand(name="By protoc", organization_id=organization), metadata=metadata, timeout=30
).project
# The server keeps microseconds, and ignores further digits.
version = project.created_at
version.nanos += 999
updated = client.UpdateProject(
    commands_pb2.UpdateProjectCommand(
        id=project.id, name="Moon", organization_id=organization, expected_version=version
    ),
    metadata=metadata,
    timeout=30,
)
assert updated.success, updated
try:
    client.CreateOrganization(commands_pb2.CreateOrganizationCommand(), metadata=metadata, timeout=30)
    raise AssertionError("An organization without a name was accepted.")
except grpc.RpcError as error:
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    assert error.details() == "Name is required.", error
assert extensions.CommandsStub(channel).ListComments
print("protoc: created", made.organization.id)
