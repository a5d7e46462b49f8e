"""Creates an organization and a refusal with the classes that protoc made."""
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
try:
    client.CreateOrganization(commands_pb2.CreateOrganizationCommand(), metadata=metadata, timeout=30)
    raise AssertionError("An organization without a name was taken.")
except grpc.RpcError as error:
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    assert error.details() == "Name is required.", error
assert extensions.CommandsStub(channel).ListComments
print("protoc: created", made.organization.id)
