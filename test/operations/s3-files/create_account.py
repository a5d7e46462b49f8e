# Creates the bucket and an account with access to S3 in the moto server at the given address. Prints access key and secret.
import json
import sys

import boto3

def client(service):
    return boto3.client(
        service, endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="any", aws_secret_access_key="any"
    )

iam = client("iam")
iam.create_user(UserName="tracker")
key = iam.create_access_key(UserName="tracker")["AccessKey"]
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="tracker", PolicyName="files", PolicyDocument=json.dumps(policy))
client("s3").create_bucket(Bucket="tracker-files")
print(key["AccessKeyId"], key["SecretAccessKey"])
