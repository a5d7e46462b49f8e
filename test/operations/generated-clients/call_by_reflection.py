"""Finds the commands by reflection alone, describes them in a new descriptor pool, and calls one."""
import os

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

channel = grpc.insecure_channel(os.environ["COMMANDS"])
database = ProtoReflectionDescriptorDatabase(channel)
pool = DescriptorPool(database)
services = sorted(database.get_services())
for name in services:
    for method in pool.FindServiceByName(name).methods:
        assert method.input_type.full_name and method.output_type.full_name
method = pool.FindMethodByName("tracker.commands.v1.Commands.ListProjects")
request, result = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
call = channel.unary_unary(
    "/tracker.commands.v1.Commands/ListProjects", request.SerializeToString, result.FromString
)
message = request()
message.pagination.page_size = 1
answer = call(message, metadata=[("authorization", f"Bearer {os.environ['TOKEN']}")], timeout=30)
assert answer.success, answer
print(f"reflection: {len(services)} services; {answer.result.total_count} projects")
