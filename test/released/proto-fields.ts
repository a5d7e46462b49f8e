import { fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { loadSync } from '@grpc/proto-loader'

/** Of every message in a .proto file, its fields with their numbers. */
export function fieldsIn(path: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const { fileDescriptorProtos } = Object.values(loadSync(path)).find(
    (loaded) => 'fileDescriptorProtos' in loaded,
  ) as unknown as { readonly fileDescriptorProtos: readonly Buffer[] }
  const files = fileDescriptorProtos.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  return new Map(
    files
      .flatMap(({ messageType }) => messageType)
      .map(({ name, field }) => [name, new Map(field.map((one) => [one.name, one.number]))]),
  )
}
