# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""The clients of clouds: aws, gcloud, gsutil, az. What lists and describes is known; what changes or fetches must be spelled.

Above: `tables` finds a program's entry by its name. Below: `schema`.
"""

from __future__ import annotations

from nacre.policy.tables.schema import Program

# Operations that list and describe.
_AWS_LISTS = "--recursive --human-readable --summarize --max-items= --max-results= --page-size= --filters= --filter= --instance-ids= --stack-name= --cluster= --cluster-name= --name= --names= --services= --log-group-name= --log-group-name-prefix= --table-name= --function-name= --repository-name= --db-instance-identifier= --starting-token= --owners= --image-ids= --bucket= --prefix= --key= --delimiter= --role-name= --user-name= --group-name= --policy-name= --policy-arn= --version-id= --path= --log-stream-name= --log-stream-names= --log-stream-name-prefix= --filter-pattern= --start-time= --end-time= --limit= --order-by= --descending --since= --follow --format= --attribute-names= --key-condition-expression= --filter-expression= --projection-expression= --expression-attribute-names= --expression-attribute-values= --index-name= --select= --key-condition= --with-decryption --namespace= --metric-name= --period= --statistics= --dimensions= --tasks= --task-definition= --container-instances= --desired-status= --service-name= --stack-status-filter= --logical-resource-id= --secret-id= --db-cluster-identifier= --image-id= --vpc-ids= --subnet-ids= --group-ids= --group-names= --volume-ids= --load-balancer-arns= --target-group-arn= --target-group-arns= --auto-scaling-group-names= --certificate-arn= --state-machine-arn= --execution-arn= --ids= --pipeline-name= --key-id= --cache-cluster-id= --job-queue= --job-status= --jobs= --granularity= --metrics= --time-period= --group-by= --hosted-zone-id= --alarm-names= --state-value= --registry-id= --nodegroup-name= --rest-api-id= --id= --include= --no-include-email --parameter-filters= --instance-information-filter-list="
# A value may be an address from where it is taken. So may a part of it: `Name@=file://x`.
_AWS_VALUE = r"(?!fileb?://|https?://)(?![\s\S]*@=)[\s\S]*"
# That of a queue is one, and is asked.
_AWS_QUEUE = r"https://(?:sqs\.[\w-]+|[\w-]+\.queue|queue)\.amazonaws\.com(?:\.cn)?/[\w./-]+"
_AWS_LOOKS = (
    ("sts", "get-caller-identity"),
    ("s3", "ls"),
    (
        "s3api",
        "list-buckets list-objects list-objects-v2 list-object-versions head-object head-bucket get-bucket-location get-bucket-policy get-bucket-versioning get-bucket-acl get-bucket-tagging get-bucket-encryption get-public-access-block get-bucket-lifecycle-configuration get-bucket-cors",
    ),
    (
        "ec2",
        "describe-instances describe-images describe-vpcs describe-subnets describe-security-groups describe-volumes describe-regions describe-instance-status describe-availability-zones describe-route-tables describe-network-interfaces describe-snapshots describe-key-pairs describe-addresses describe-nat-gateways describe-internet-gateways describe-launch-templates describe-instance-types describe-tags",
    ),
    (
        "iam",
        "list-users list-roles list-policies list-groups get-user get-role get-policy get-policy-version get-role-policy list-attached-role-policies list-role-policies list-attached-user-policies list-groups-for-user list-instance-profiles",
    ),
    (
        "lambda",
        "list-functions get-function-configuration list-versions-by-function list-aliases list-event-source-mappings get-policy list-layers",
    ),
    ("logs", "describe-log-groups describe-log-streams tail filter-log-events get-log-events"),
    (
        "ecs",
        "list-clusters list-services list-tasks list-task-definitions describe-clusters describe-services describe-tasks describe-task-definition describe-container-instances",
    ),
    ("eks", "list-clusters describe-cluster list-nodegroups describe-nodegroup list-addons"),
    ("ecr", "describe-repositories list-images describe-images"),
    ("rds", "describe-db-instances describe-db-clusters"),
    ("dynamodb", "list-tables describe-table scan query get-item describe-time-to-live"),
    (
        "cloudformation",
        "list-stacks describe-stacks describe-stack-events list-stack-resources describe-stack-resources describe-change-set list-change-sets list-exports get-template get-template-summary",
    ),
    (
        "sqs sns secretsmanager",
        "list-queues list-topics list-secrets describe-secret get-queue-attributes get-queue-url list-subscriptions list-subscriptions-by-topic get-topic-attributes",
    ),
    (
        "route53 cloudwatch",
        "list-hosted-zones list-resource-record-sets describe-alarms list-metrics get-metric-statistics describe-alarm-history list-dashboards",
    ),
    (
        "ssm",
        "describe-parameters get-parameter get-parameters get-parameters-by-path describe-instance-information",
    ),
    (
        "elbv2 elb autoscaling acm cloudfront",
        "describe-load-balancers describe-target-health describe-target-groups describe-listeners describe-rules describe-auto-scaling-groups describe-scaling-activities list-certificates describe-certificate list-distributions get-distribution list-invalidations",
    ),
    (
        "stepfunctions codebuild codepipeline events batch",
        "list-state-machines list-executions describe-execution describe-state-machine list-builds batch-get-builds list-projects list-builds-for-project list-pipelines get-pipeline-state get-pipeline list-rules list-jobs describe-jobs describe-job-queues",
    ),
    (
        "kms elasticache organizations ce apigateway",
        "list-keys describe-key list-aliases describe-cache-clusters describe-replication-groups list-accounts get-cost-and-usage get-rest-apis get-stages get-resources",
    ),
    ("configure", "list get"),
)

# gcloud: groups, the kinds of things in them, and what only looks.
_GCLOUD_LOOKS = (
    ("config", "configurations", "list get get-value"),
    (
        "compute",
        "instances disks images networks firewall-rules zones regions machine-types addresses snapshots instance-groups instance-templates forwarding-rules backend-services url-maps routers project-info",
        "",
    ),
    ("container", "clusters node-pools images operations", ""),
    ("run", "services revisions jobs executions", ""),
    ("sql", "instances databases backups operations users", ""),
    ("iam", "service-accounts roles", ""),
    ("projects", "", "list describe get-iam-policy"),
    ("services", "", "list"),
    ("logging", "logs sinks metrics", "read"),
    ("auth", "", "list"),
    ("builds", "triggers", "list describe log"),
    ("functions", "regions", "list describe"),
    ("pubsub", "topics subscriptions", ""),
    ("artifacts", "repositories packages versions files locations", ""),
    ("secrets", "versions locations", "list describe"),
    ("app", "services versions instances", "describe"),
    ("storage", "buckets objects", "ls du"),
    ("scheduler", "jobs locations", ""),
    ("tasks", "queues locations", ""),
    ("dns", "managed-zones record-sets", ""),
    ("redis", "instances regions", ""),
    ("deploy", "releases rollouts targets delivery-pipelines", ""),
    ("components", "", "list"),
)
_GCLOUD_OPTIONS = "--sort-by= --uri --page-size= --platform= --service= --instance= --cluster= --database= --repository= --package= --delivery-pipeline= --release= --secret= --enabled --available --all --show-deleted --freshness= --order= --ongoing --stream --gen2 --v2 --include-tags --long -l -r -R --recursive --summarize --readable-sizes --only-locations --topic= --subscription= --limit-by= --service-account= --global --networks="

PROGRAMS = (
    Program(
        names="aws",
        reason="other endpoints, and operations that change or fetch things; a rule must spell the service",
        options="--profile= --output= --no-cli-pager --no-paginate --debug --color= --no-sign-request --cli-read-timeout= --cli-connect-timeout= --version",
        runs="--endpoint-url= --ca-bundle= --no-verify-ssl --cli-input-json= --cli-input-yaml=",
        # A region is a part of the address that is asked.
        checks=(("--region=", r"[A-Za-z0-9-]+"), ("--query=", r"(?!fileb?://|https?://)[\s\S]*")),
        persistent=True,
        commands=(
            *(
                Program(
                    names=service,
                    reason="a rule must spell what changes or fetches things",
                    # Alone it asks for keys, and writes them down.
                    asks=("list",) if service == "configure" else (),
                    commands=(
                        Program(
                            names=operations,
                            reason="a value is read from a file or fetched; help is shown by another program",
                            options=" ".join(item for item in _AWS_LISTS.split() if not item.endswith("=")),
                            checks=(
                                (
                                    " ".join(item for item in _AWS_LISTS.split() if item.endswith("=")),
                                    _AWS_VALUE,
                                ),
                                ("--queue-url=", _AWS_QUEUE),
                            ),
                            operands="text",
                            # Further values of a list stand there, too.
                            refuses=r"help\Z|(?:fileb?|https?)://|(?s:.*)@=",
                            plain_values=True,
                        ),
                    ),
                )
                for service, operations in _AWS_LOOKS
            ),
        ),
    ),
    Program(
        names="gcloud",
        reason="other configuration and endpoints, and operations that change things; a rule must spell the group",
        options="--project= --format= --quiet -q --verbosity= --account= --version --help -h --filter= --limit= --flatten= --no-user-output-enabled",
        runs="--configuration= --flags-file= --impersonate-service-account= --access-token-file= --billing-project=",
        # A place is a part of the address that is asked: https://PLACE-run.googleapis.com/.
        checks=(("--region= --zone= --location= --regions= --zones=", r"[\w,-]+"),),
        persistent=True,
        plain_values=True,
        commands=(
            Program(names="version info", operands="text"),
            *(
                Program(
                    names=group,
                    reason="a rule must spell what changes things",
                    commands=(
                        *(
                            Program(
                                names=kind,
                                reason="a rule must spell what changes things",
                                commands=(
                                    Program(
                                        names="list describe",
                                        reason="a rule must spell what changes things",
                                        options=_GCLOUD_OPTIONS,
                                        operands="text",
                                        plain_values=True,
                                    ),
                                ),
                            )
                            for kind in kinds.split()
                        ),
                        Program(
                            names=verbs,
                            reason="a rule must spell what changes things",
                            options=_GCLOUD_OPTIONS,
                            operands="maybe" if group == "storage" else "text",
                            # Other schemes are files of this machine, and other clouds.
                            refuses=r"(?!gs://)[\w+.-]+://|(?i:file):",
                            plain_values=True,
                        ),
                    ),
                )
                for group, kinds, verbs in _GCLOUD_LOOKS
            ),
        ),
    ),
    Program(
        names="gsutil",
        reason="other settings, and operations that change things; a rule must spell them",
        options="-m -q -D -DD --version",
        commands=(
            Program(
                names="ls du stat version",
                reason="files of this machine",
                options="-l -L -r -R -h -a -b -p= -s -c",
                operands="maybe",
                refuses=r"(?i)file:",
            ),
        ),
    ),
    Program(
        names="az",
        reason="other configuration and endpoints, and operations that change things; a rule must spell the group",
        options="--output= -o= --query= --subscription= --version --help -h --verbose --only-show-errors",
        persistent=True,
        plain_values=True,
        # Any word, and any value behind `=`, can be a file: `-g=@x`.
        response_files=True,
        commands=(
            Program(names="version", operands="text"),
            # `az vm list`: whatever is listed, it is only listed.
            Program(
                names="config sql account group vm aks acr network webapp functionapp appservice storage keyvault cosmosdb postgres redis monitor containerapp resource deployment identity role staticwebapp servicebus eventhubs",
                reason="a rule must spell what changes things",
                options="-g= --resource-group= --all -d --show-details --ids= --location= -l= --resource-type= --tag=",
                # Names that are a part of an address.
                checks=(("-n= --name= --account-name= --vault-name= --server=", r"[\w.-]+"),),
                operands="text",
                refuses=r"(?!(?:list|show|nodepool|repository|vnet|nsg|public-ip|plan|account|container|blob|share|server|db|database|secret|key|replica|revision|group|assignment|definition|deployment|topic|queue|namespace|subnet|show-tags|list-locations|list-sizes|list-ip-addresses|get-versions)\Z)",
                response_files=True,
                plain_values=True,
            ),
        ),
    ),
)
