# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""Containers and clusters: docker, podman, compose, kubectl, helm, terraform.

Above: `tables` finds a program's entry by its name. Below: `schema`. Who starts a container chooses what runs and
which files of the host it sees: `run`, `exec`, `create` and the like are never allowed by a rule for the program
alone, under none of their names (`docker run`, `podman container run`, `docker compose run`).
"""

from __future__ import annotations

from dataclasses import replace

from nacre.policy.tables.charts import HELM, NO_ADDRESS
from nacre.policy.tables.schema import Program

_HOST = "another daemon, configuration or runtime is another machine"
_STARTS = "it runs programs of the caller's choice, with the files he chooses"
# To some commands of podman -n takes no value, and letters behind it are options.
_COUNT = ("-n=", r"\d+|all")
# Certificates are checked, unless that is switched off.
_VERIFIES = ("--tls? --tlsverify? --tls-verify?", "true")
# Places where podman finds and puts images that are no registry: `dir:x` is a directory, `-t=dir:x` is `-t dir:x`.
_NO_REGISTRY = r"=?(?:dir|docker|docker-archive|docker-daemon|oci|oci-archive|containers-storage|ostree|atomic|sif|tarball):"
_LIST = "-a -f= -l -q -s --all --filter= --format= --last= --latest --no-trunc --quiet --size --digests --tree --external --namespace --noheading --sort= --sync --watch= --pod --history"
# These take the next word to every command that knows them, whatever it begins with.
_TAKEN = "--filter --format --since --tail --until"
_PS = Program(
    names="ps ls list",
    plain_values=True,
    dashed_values=_TAKEN,
    options=_LIST,
    checks=(_COUNT,),
    operands="text",
)
_IMAGES = Program(
    names="images",
    plain_values=True,
    dashed_values=_TAKEN,
    options="-a -f= -q -n --all --digests --filter= --format= --no-trunc --quiet --tree --history --noheading --sort=",
    operands="text",
)
_LOGS = Program(
    names="logs",
    plain_values=True,
    dashed_values=_TAKEN,
    # No -c: podman knows it everywhere, as another machine.
    options="-f -t -l --details --follow --since= --tail= --timestamps --until= --latest --names --color",
    checks=(_COUNT,),
    operands="text",
    reason="letters behind -n are options",
)
_INSPECT = Program(
    names="inspect",
    plain_values=True,
    dashed_values=f"{_TAKEN} -f",
    options="-f= -s -l -t= --format= --size --type= --latest --verbose -v",
    operands="text",
)
# The letters of these commands take a value to some of them only: behind one that takes `--` for it, what follows is no
# operand, but an option. So each group has its own.
_SIMPLE_OPTIONS = "-a -l -q -v -s= -t= --all --force --ignore --latest --quiet --volumes --link --signal= --time= --timeout= --no-prune --no-stream --no-trunc --no-reset --format= --condition= --interval= --depend --filter="
_SIMPLE = Program(
    names="pause unpause wait rename top port diff stats tag untag",
    plain_values=True,
    options=_SIMPLE_OPTIONS,
    operands="text",
)
_STOP = replace(_SIMPLE, names="stop restart kill", options=f"{_SIMPLE_OPTIONS} -i")
_REMOVE = replace(_SIMPLE, names="rm rmi", options=f"{_SIMPLE_OPTIONS} -f -i")
# Its -H is for people; to other commands of nerdctl that is another daemon.
_HISTORY = Program(
    names="history",
    plain_values=True,
    options="-H -q --human --quiet --no-trunc --format= --platform=",
    operands="text",
)
# To docker none of their options does harm: those of the program itself stand before the sub-command. Where
# docker is another name of podman they stand anywhere, so what is written out must be known.
_START = Program(
    names="start",
    plain_values=True,
    options="-a -l --attach --latest --all --sig-proxy --detach-keys=",
    reason="a shell in it runs what it reads",
    runs="-i --interactive",
    operands="text",
)
_PULL = Program(
    names="pull push",
    plain_values=True,
    options="-a -q --all-tags --platform= --quiet --disable-content-trust --arch= --os= --variant= --policy= --retry=",
    checks=(_VERIFIES,),
    runs="--authfile= --creds= --cert-dir= --decryption-key= --signature-policy=",
    operands="text",
    reason="another place than a registry is a file or another machine",
    refuses=_NO_REGISTRY,
)
_COMMIT = Program(
    names="commit",
    plain_values=True,
    options="-a= -m= -p -q --author= --change= --message= --pause --quiet",
    operands="text",
    reason="another place than a registry is a file or another machine",
    refuses=_NO_REGISTRY,
)
_MANAGES = "rm prune exists"
_SHOWN = "-q -v -a --filter= --format= --no-trunc --quiet --verbose --all --noheading"
_MANAGED = f"{_SHOWN} -f --force"
_COMPOSE = Program(
    names="compose",
    plain_values=True,
    reason=f"{_STARTS}; other files say what runs",
    options="-p= --project-name= --profile= --ansi= --progress= --parallel= --compatibility --dry-run --verbose -v --version -h --help --all-resources",
    places="-f= --file= --project-directory= --env-file= --workdir=",
    spelled="run exec create watch publish alpha",
    # What a file of compose calls a provider is a program: it is told of the end, too.
    named="up build start restart pull push down stop",
    commands=(
        Program(
            reason="build arguments and other builders decide what runs; -o writes",
            names="up down build pull start stop restart pause unpause kill rm logs ps ls images top port config events version push wait stats volumes",
            plain_values=True,
            options="-d -t= -f -q -s= -v -a -n= --detach --build --no-build --force-recreate --no-recreate --no-deps --remove-orphans --scale= --timeout= --wait --wait-timeout= --quiet-pull --pull= --no-start --no-color --no-log-prefix --timestamps --follow --tail= --since= --until= --abort-on-container-exit --exit-code-from= --attach= --no-attach= --attach-dependencies --renew-anon-volumes -V --always-recreate-deps --menu --watch --yes -y --rmi= --volumes --no-cache --progress= --memory= --with-dependencies --check --ignore-buildable --ignore-pull-failures --include-deps --policy= --quiet --signal= --stop --force --all --filter= --format= --orphans --services --status= --no-trunc --hash= --images --no-interpolate --no-normalize --no-path-resolution --profiles --resolve-image-digests --environment --networks --models --index= --protocol= --json --short --no-stream",
            writes="-o= --output= --lock-image-digests",
            runs="--build-arg= --builder= --ssh= --print",
            operands="text",
        ),
    ),
)
_OUTPUT = r"(?:(?:type|name|dest|push)=)?(?:\./|/tmp/)?[\w-][\w./-]*"
_BUILD = Program(
    names="build",
    plain_values=True,
    dashed_values="-t --tag --target --build-arg --label --platform",
    reason="other files of instructions, images and addresses decide what runs, and volumes show it files of the host; -o writes",
    options="-q -t= --compress --disable-content-trust --force-rm --label= -m= --memory= --no-cache --platform= --progress= --pull? --quiet --rm --shm-size= --squash --tag= --target= --ulimit= --load --push --arch= --os= --format= --layers --no-cache-filter= --annotation=",
    # A cache in a directory is read and written there; a generator is an image that runs.
    checks=(
        ("--cache-from= --cache-to=", r"(?i)(?!.*\b(?:src|dest|\w*url\w*)=)[\w.:/,=@-]+"),
        # What is built decides which files there are in that directory: it is one of its own.
        ("-o= --output=", rf"(?!.*\.\.){_OUTPUT}(?:,{_OUTPUT})*"),
        ("--network=", "none|default"),
        # BUILDKIT_SYNTAX is an image that runs in the place of docker's own reader; what is built is
        # fetched through a proxy.
        ("--build-arg=", r"(?!BUILDKIT_|(?i:\w+_proxy)\b)[\s\S]*|BUILDKIT_INLINE_CACHE=\d"),
        # Another address for a name is another machine.
        ("--add-host=", r"[\w.-]+[:=](?:host-gateway|127\.0\.0\.1|::1)"),
        ("--provenance?", r"true|false|mode=\w+"),
        ("--sbom?", "true|false"),
    ),
    reads="--ignorefile=",
    places="-f= --file=",
    writes="-o= --output= --iidfile= --metadata-file= --logfile=",
    runs="-v= --volume= --security-opt= --secret= --ssh= --device= --cap-add= --build-context= --builder= --isolation= --allow= --authfile= --hooks-dir= --runtime= --userns= --from= --env= --cgroup-parent= --group-add= --env-file=",
    operands="near",
    # An address, with a scheme or without.
    refuses=r"github\.com/|[\w+.-]+://|[\w.-]*@",
)
# The values of -t, which `network_programs` looks at.
TAGS = replace(
    _BUILD, reason="another place than a registry is a file or another machine", refuses=_NO_REGISTRY
)
_FILES = Program(
    names="save export load import",
    plain_values=True,
    reason="-o writes; another place than a registry is another machine",
    options="-q --platform= --quiet --format= --compress --change= --message= --multi-image-archive",
    reads="-i= --input=",
    checks=(("-i= --input=", NO_ADDRESS),),
    writes="-o= --output=",
    operands="maybe",
    # An image from an address that no registry is at.
    refuses=r"[\w+.-]+://",
)
_COPY = Program(
    names="cp",
    reason="it writes files of the host",
    options="-a -q --archive --quiet --overwrite -h --help",
    follows="-L --follow-link",
    # What is in the directory that is copied has names of its own.
    operands="maybe fill",
    only_with="-h --help",
)
_READS = (
    *(_PS, _IMAGES, _LOGS, _INSPECT, _SIMPLE, _STOP, _REMOVE, _HISTORY, _START, _PULL, _COMMIT, _FILES),
    _COPY,
)
_GROUPS = (
    Program(
        names="container",
        reason=_STARTS,
        spelled="run exec create attach restore checkpoint clone mount unmount runlabel",
        commands=(
            *_READS,
            Program(names="prune exists", plain_values=True, options=_MANAGED, operands="text"),
        ),
    ),
    Program(
        names="image",
        reason=_STARTS,
        spelled="scp mount unmount sign trust",
        commands=(
            _PS,
            _INSPECT,
            _PULL,
            _BUILD,
            _FILES,
            _HISTORY,
            Program(
                names="rm prune tree tag untag exists",
                plain_values=True,
                options=_MANAGED,
                operands="text",
            ),
            Program(
                names="search",
                plain_values=True,
                options="-f= --filter= --format= --limit= --list-tags --compatible --no-trunc",
                operands="text",
            ),
        ),
    ),
    Program(
        names="volume network",
        reason=_STARTS,
        spelled="mount unmount export import reload",
        commands=(
            _PS,
            _INSPECT,
            Program(names=_MANAGES, plain_values=True, options=_MANAGED, operands="text"),
            Program(
                names="create connect disconnect",
                plain_values=True,
                options="-d= -f -h --driver= --label= --internal --attachable --ipv6 --subnet= --gateway= --ip-range= --alias= --ip= --force --name= --ignore",
                runs="-o= --opt=",
                operands="text",
                reason="options of a driver mount files of the host",
            ),
        ),
    ),
    Program(
        names="system",
        reason=_HOST,
        spelled="service connection migrate renumber reset dial-stdio",
        commands=(
            Program(
                names="df prune check",
                plain_values=True,
                options="-a -f -v --all --force --format= --filter= --verbose --volumes",
                operands="text",
            ),
            Program(
                names="info events version",
                plain_values=True,
                options="-f= --format= --filter= --since= --until= --stream",
                operands="text",
            ),
        ),
    ),
    Program(
        names="pod",
        reason=_STARTS,
        spelled="create clone",
        commands=(
            _PS,
            _INSPECT,
            _LOGS,
            *(_SIMPLE, _STOP, _REMOVE),
            Program(names="start prune exists", plain_values=True, options=_MANAGED, operands="text"),
        ),
    ),
    Program(
        names="context",
        reason=_HOST,
        spelled="create import export update use rm",
        commands=(
            _INSPECT,
            Program(names="ls show", plain_values=True, options=_SHOWN, operands="text"),
        ),
    ),
    Program(
        names="buildx builder manifest",
        reason=_STARTS,
        spelled="bake create use push install uninstall rm stop annotate dial-stdio",
        commands=(
            _BUILD,
            Program(
                names="ls inspect du prune version",
                plain_values=True,
                options=f"{_MANAGED} --keep-storage=",
                operands="text",
            ),
            Program(
                names="imagetools",
                reason="it pushes images",
                spelled="create",
                commands=(
                    Program(names="inspect", plain_values=True, options="--raw --format=", operands="text"),
                ),
            ),
        ),
    ),
    Program(
        names="secret machine",
        reason=_STARTS,
        spelled="create start stop ssh init set rm os cp reset",
        commands=(
            Program(
                names="ls list ps inspect exists info", plain_values=True, options=_SHOWN, operands="text"
            ),
        ),
    ),
)

_ENGINE = Program(
    names="podman",
    plain_values=True,
    reason=_HOST,
    options="-D -l= -v -h --debug --log-level= --version --help --noout --syslog",
    checks=(_VERIFIES,),
    # podman's: with a value, so that what follows it is not taken for the sub-command.
    runs="-H= --host= --config= -c= --context= --tlscacert= --tlscert= --tlskey= --url= --connection= --storage-opt= --storage-driver= --hooks-dir= --runtime= --runtime-flag= --module= --root= --runroot= --tmpdir= --transient-store --conmon= --cgroup-manager= --cni-config-dir= --network-cmd-path= --network-config-dir= --events-backend= --identity= --imagestore= --out= --remote -r --ssh= --volumepath= --default-mounts-file= --registries-conf= --namespace= -n= -a= --address= --data-root= --cgroup-parent= --pull-option= --db-backend= --trace --compat-auth-file= --max-workers=",
    spelled="run exec create attach bake plugin healthcheck farm quadlet artifact unshare mount unmount umount checkpoint restore clone runlabel play kube generate auto-update swarm service stack node config secret trust login logout scout init debug mcp model ai desktop dev extension sbom offload sandbox pass harden cloud",
    commands=(
        *(replace(item, names="ps") if item is _PS else item for item in _READS),
        _BUILD,
        Program(
            names="search events info version",
            plain_values=True,
            options="-f= --filter= --format= --limit= --no-trunc --since= --until= --list-tags --no-stream --stream --verbose",
            checks=(_VERIFIES,),
            reason="certificates that are not checked",
            operands="text",
        ),
        *_GROUPS,
        _COMPOSE,
    ),
)


def _of_docker(group: Program) -> Program:
    """A group of docker's commands: those that only look or remove do no harm by any option."""
    if group in {_IMAGES, _LOGS, _INSPECT, _SIMPLE, _STOP, _REMOVE} or group.names == "ps":
        return replace(group, takes_names=True)
    if group.names != "volume network":
        return group
    harmless = {_MANAGES, _INSPECT.names}
    commands = tuple(replace(item, takes_names=item.names in harmless) for item in group.commands)
    return replace(group, commands=commands)


_KUBE_GLOBAL = "-n= -v= --namespace= --context= --cluster= --user= --request-timeout= --as= --as-group= --as-uid= --v= --vmodule= --warnings-as-errors --match-server-version --disable-compression --log-flush-frequency= -h --help"
_KUBE_RUNS = "--kubeconfig= --cache-dir= --profile= --profile-output= -s= --server= --certificate-authority= --client-certificate= --client-key= --insecure-skip-tls-verify --tls-server-name= --token= --username= --password="
_KUBE_REASON = "another kubeconfig or server runs credential programs, or is another machine"
_KUBE_FILES = "-f= --filename= -k= --kustomize="
# An address without a scheme, in any case: github.com/x/y, GitHub.COM/x/y.
_KUBE_HOST = r"[\w.-]*\w\.[A-Za-z]+/"
_KUBE_CHECKS = (
    # A format can be in a file, whose name may stand in another option.
    ("-o= --output=", r"(?!(?:custom-columns|go-template|jsonpath|template)-?file)[\s\S]*"),
    ("-k= --kustomize=", rf"(?!{_KUBE_HOST})(?!.*//)[\w./-]+"),
)
# kubectl looks patterns up by itself: behind one there may be a link.
# A list is read as CSV: quotes and empty lines around a name are taken away.
_NO_PATTERN = ("-f= --filename=", r"[^*?\[\"\r\n]*")
_KUBE_READS = (("-f= --filename=", rf"(?!(?s:.*)[*?\[\"\r\n]){NO_ADDRESS}"),)

PROGRAMS = (
    _ENGINE,
    replace(
        _ENGINE,
        names="docker",
        commands=tuple(
            _of_docker(item)
            for item in _ENGINE.commands
            if item.names not in {"pod", "secret machine"}  # which it does not have: a plugin would be run
        ),
    ),
    # Its own options (-a, -H: another daemon) stand behind every sub-command, too.
    Program(
        names="nerdctl",
        plain_values=True,
        reason=_HOST,
        options="-h --help -v --version --debug",
        spelled=_ENGINE.spelled,
        commands=(
            Program(
                names="ps images logs inspect info version",
                plain_values=True,
                options="-q -f --all --quiet --no-trunc --follow --tail= --since= --until= --timestamps --format= --filter= --type=",
                operands="text",
            ),
        ),
    ),
    Program(
        names="docker-compose podman-compose",
        plain_values=True,
        reason=_COMPOSE.reason,
        options=_COMPOSE.options,
        places=_COMPOSE.places,
        runs="-H= --host= --context= -c= --tlscacert= --tlscert= --tlskey= --podman-path= --podman-args= --in-pod=",
        spelled=_COMPOSE.spelled,
        commands=_COMPOSE.commands,
    ),
    Program(
        names="kubectl oc",
        plain_values=True,
        reason=_KUBE_REASON,
        options=_KUBE_GLOBAL,
        runs=_KUBE_RUNS,
        checks=_KUBE_CHECKS,
        persistent=True,
        spelled="exec run debug edit attach cp plugin proxy krew replace patch set autoscale expose certificate kuberc alpha rsh start-build new-app login adm",
        commands=(
            Program(
                names="get",
                plain_values=True,
                options="-A -w -l= -L= -R --all-namespaces --watch --watch-only --selector= --label-columns= --field-selector= --no-headers --show-labels --show-kind --sort-by= --ignore-not-found --chunk-size= --allow-missing-template-keys --show-managed-fields --server-print --subresource= --template= --output-watch-events --recursive",
                reason="a template in a file, or what another repository says; a proxy is another service",
                reads="-f= --filename=",
                # What it names is fetched.
                places="-k= --kustomize=",
                checks=(*_KUBE_READS, ("--raw=", r"(?!.*/proxy)[\w./?=&-]+")),
                operands="text",
            ),
            Program(
                names="describe",
                plain_values=True,
                reason="what another machine or repository says",
                options="-A -l= -R --all-namespaces --selector= --show-events --chunk-size= --recursive",
                reads="-f= --filename=",
                # What it names is fetched.
                places="-k= --kustomize=",
                checks=_KUBE_READS,
                operands="text",
            ),
            Program(
                names="logs",
                plain_values=True,
                # Its -f takes no value.
                options="-f -p -c= -l= --follow --previous --container= --all-containers --all-pods --selector= --since= --since-time= --tail= --timestamps --limit-bytes= --max-log-requests= --pod-running-timeout= --prefix --ignore-errors --insecure-skip-tls-verify-backend",
                operands="text",
            ),
            Program(
                names="apply delete diff",
                plain_values=True,
                reason="a manifest from elsewhere decides what the cluster runs",
                # An editor; what is said to have been applied.
                refuses=r"(?:edit|set)-last-applied\Z",
                options="-A -R -l= -o= --all --all-namespaces --selector= --output= --dry-run? --wait --timeout= --force --grace-period= --now --ignore-not-found --prune --server-side --force-conflicts --field-manager= --overwrite --record --validate? --cascade? --field-selector= --interactive -i --recursive --show-managed-fields --openapi-patch --allow-missing-template-keys --concurrency=",
                places=_KUBE_FILES,
                checks=(_NO_PATTERN,),
                runs="--prune-allowlist= --raw=",
                operands="text",
            ),
            Program(
                names="kustomize",
                plain_values=True,
                reason="what it builds comes from the directory and goes to -o; plugins are code",
                writes="-o= --output=",
                runs="--enable-helm --helm-command= --enable-alpha-plugins --load-restrictor= --env= -e= --mount= --network --network-name= --as-current-user",
                operands="near",
                refuses=rf"{_KUBE_HOST}|.*//|.*[?:]",
            ),
            Program(
                reason="a manifest from elsewhere decides what is changed",
                names="rollout scale label annotate cordon uncordon drain taint",
                plain_values=True,
                options="-l= -o= -w --selector= --output= --dry-run? --watch --timeout= --revision= --to-revision= --replicas= --current-replicas= --resource-version= --all --all-namespaces -A --overwrite --list --local --field-selector= --ignore-daemonsets --delete-emptydir-data --force --grace-period= --disable-eviction --pod-selector= --skip-wait-for-delete-timeout= --record --show-managed-fields --allow-missing-template-keys",
                places=_KUBE_FILES,
                checks=(_NO_PATTERN,),
                operands="text",
            ),
            Program(
                names="create",
                reason="what it makes can run images and grant rights",
                commands=(
                    Program(
                        names="namespace ns",
                        options="-o= --output= --dry-run? --save-config --validate? --field-manager=",
                        operands="text",
                        plain_values=True,
                    ),
                    Program(
                        names="configmap cm",
                        options="-o= --output= --dry-run? --save-config --validate? --field-manager= --from-literal= --append-hash",
                        reads="--from-file= --from-env-file=",
                        checks=(("--from-file= --from-env-file=", r"[^\"\r\n]*"),),
                        reason="a list is read as CSV, in which quotes are taken away",
                        operands="text",
                        plain_values=True,
                    ),
                ),
            ),
            Program(
                names="port-forward",
                plain_values=True,
                options="--pod-running-timeout=",
                checks=(("--address=", r"localhost|127\.0\.0\.1|::1"),),
                operands="text",
                reason="another address opens the port to others",
            ),
            Program(
                names="config",
                reason="settings of a cluster's user are programs",
                spelled="set set-cluster set-credentials unset rename-context delete-cluster delete-context delete-user",
                commands=(
                    Program(
                        reason="a template in a file",
                        names="view current-context get-contexts get-clusters get-users use-context",
                        plain_values=True,
                        options="-o= --output= --minify --no-headers --flatten --merge? --raw",
                        operands="text",
                    ),
                    # Which namespace the current one means; another user or cluster is refused.
                    Program(
                        names="set-context",
                        plain_values=True,
                        reason="settings of a cluster's user are programs",
                        options="--current --namespace=",
                        runs="--cluster= --user=",
                        operands="text",
                        refuses=r"(?s:.)",
                    ),
                ),
            ),
            Program(
                reason="it writes or changes more than it shows",
                names="top explain api-resources api-versions version cluster-info events auth wait",
                plain_values=True,
                options="-A -l= -o= -c= -w -q --all-namespaces --selector= --containers --no-headers --sort-by= --sum --use-protocol-buffers --recursive --api-version= --output= --api-group= --namespaced --verbs= --cached --categories= --client --short --types= --for= --watch --list --quiet --subresource= --timeout= --all --field-selector= --allow-missing-template-keys",
                reads="-f= --filename=",
                checks=_KUBE_READS,
                operands="text",
                refuses=r"dump\Z|reconcile\Z",
            ),
        ),
    ),
    HELM,
    Program(
        names="terraform tofu terragrunt",
        plain_values=True,
        reason="other directories, plugins and consoles are code; -out writes",
        style="words",
        options="-help -version -h --version --help -v",
        places="-chdir=",
        spelled="console login logout test push run-all force-unlock",
        commands=(
            *(
                Program(
                    names=names,
                    plain_values=True,
                    style="words",
                    reason="plugins and other modules are code; -out writes",
                    options="-var= -target= -replace= -refresh? -refresh-only -destroy -compact-warnings -detailed-exitcode -input? -lock? -lock-timeout= -no-color -parallelism= -upgrade -backend? -get? -reconfigure -migrate-state -force-copy -json -raw -check -diff -recursive -list? -write? -type= -draw-cycles -update -readonly -lockfile= -no-tests -help -h -show-sensitive -auto-approve -allow-missing -ignore-remote-version -id= -force -or-create -platform=",
                    reads="-var-file= -plan=",
                    places="-test-directory=",
                    writes="-out= -state= -state-out= -backup= -generate-config-out=",
                    runs="-plugin-dir= -backend-config= -from-module= -chdir=",
                    operands=operands,
                    # Without sub-commands of their own, what follows the first operand is one.
                    stops=stops,
                    # `providers mirror` writes a directory, `state push` replaces what is deployed.
                    refuses=r"(?:mirror|push)\Z",
                )
                for names, operands, stops in (
                    # A plan is a file of instructions.
                    ("init plan apply destroy refresh validate graph get", "near", True),
                    ("import taint untaint show output version modules", "maybe", True),
                    ("state workspace env providers metadata", "maybe", False),
                )
            ),
            Program(
                names="fmt",
                plain_values=True,
                style="words",
                reason="files are written, unless it only checks",
                options="-list? -write? -diff -check -recursive -no-color -help -h",
                operands="alter",
                stops=True,
                only_with="-check -help -h",
            ),
        ),
    ),
)
