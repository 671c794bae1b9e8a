# ruff: noqa: E501 - one field, one line: wrapped options are harder to compare with a program's own help
"""What the policy knows about helm, whose charts decide what a cluster runs.

Above: `containers` lists it with the other programs for clusters. Below: `schema`.
"""

from __future__ import annotations

from nacre.policy.tables.schema import OUTSIDE, Program

# A file that is read is none that is fetched.
NO_ADDRESS = r"(?!(?s:.*):/)[\s\S]*"
# A chart from another directory, or from an address; what other schemes name is fetched by a plugin.
_CHART_ELSEWHERE = rf"{OUTSIDE}|[\w+.-]+:"
# Files of values. A list is read as CSV, in which quotes and empty lines are taken away; behind --set-file
# backslashes and braces have a meaning; before a colon stands what a plugin fetches.
_VALUES = r"[^:\"\\{}\r\n]*"
_BY_PLUGIN = r"(?!(?:https?|oci)://)[\w+.-]+:"

HELM = Program(
    names="helm",
    plain_values=True,
    reason="post-renderers and plugins are code; another kubeconfig runs credential programs",
    options="-n= -h --namespace= --debug --kube-context= --help --burst-limit= --qps=",
    runs="--kubeconfig= --registry-config= --repository-config= --repository-cache= --kube-apiserver= --kube-as-user= --kube-as-group= --kube-ca-file= --kube-token= --kube-insecure-skip-tls-verify --kube-tls-server-name= --post-renderer= --post-renderer-args=",
    persistent=True,
    spelled="plugin push create registry",
    commands=(
        *(
            Program(
                names=names,
                plain_values=True,
                options=options,
                reason="a chart that lies elsewhere",
                operands="own",
                trees="*",
                refuses=_CHART_ELSEWHERE,
            )
            # A letter that takes a value to one of them and none to another would take `--` for it.
            for names, options in (
                (
                    "list ls",
                    "-a -A -d -q -r -f= -l= -m= -o= --all --all-namespaces --date --deployed --failed --filter= --max= --no-headers --offset= --output= --pending --reverse --selector= --short --superseded --time-format= --uninstalled --uninstalling",
                ),
                (
                    "search",
                    "-l -r -o= --devel --fail-on-no-result --list-repo-url --max-col-width= --output= --regexp --version= --versions",
                ),
                (
                    "status get history show inspect version env verify",
                    "-a -o= --all --client --devel --max= --output= --revision= --short --show-desc --show-resources --template= --version=",
                ),
            )
        ),
        Program(
            names="install upgrade rollback uninstall delete test",
            plain_values=True,
            reason="post-renderers are code; a chart from elsewhere decides what the cluster runs",
            options="-i -g --install --generate-name --create-namespace --atomic --wait --wait-for-jobs --timeout= --dry-run? --set= --set-string= --set-json= --set-literal= --version= --devel --force --history-max= --no-hooks --reset-values --reuse-values --reset-then-reuse-values --skip-crds --description= --cleanup-on-fail --recreate-pods --render-subchart-notes --keep-history --ignore-not-found --logs --filter= --labels= -l= --output= -o= --verify --pass-credentials --username= --name-template= --take-ownership --hide-notes --hide-secret --cascade=",
            reads="-f= --values= --set-file= --keyring= --ca-file= --cert-file= --key-file=",
            checks=(("-f= --values= --set-file=", _VALUES),),
            writes="--dependency-update",
            runs="--insecure-skip-tls-verify --plain-http --password= --repo=",
            operands="own",
            trees="*",
            refuses=_CHART_ELSEWHERE,
        ),
        Program(
            names="repo",
            reason="charts from another address decide what the cluster runs; an index is written",
            spelled="add index",
            commands=(
                Program(
                    names="list ls remove rm update up",
                    plain_values=True,
                    options="-o= --output= --timeout= --fail-on-repo-update-fail --no-headers",
                    operands="text",
                ),
                Program(
                    names="add",
                    plain_values=True,
                    reason="certificates that are not checked, a password that others see, a plugin that fetches",
                    options="--force-update --no-update --pass-credentials --username= --timeout=",
                    reads="--ca-file= --cert-file= --key-file=",
                    runs="--insecure-skip-tls-verify --password=",
                    operands="text",
                    refuses=_BY_PLUGIN,
                ),
            ),
        ),
        Program(
            names="dependency dep dependencies",
            reason="charts are written",
            commands=(
                Program(
                    names="list ls",
                    plain_values=True,
                    options="--max-col-width=",
                    operands="near",
                    reason="a chart that lies elsewhere",
                ),
                Program(
                    names="update up build",
                    plain_values=True,
                    reason="charts are written",
                    options="--skip-refresh --verify",
                    reads="--keyring=",
                    operands="near",
                    only_with="-h --help",
                ),
            ),
        ),
        Program(
            names="pull fetch",
            plain_values=True,
            reason="charts are written",
            options="--version= --devel --repo= --prov --verify --username= --pass-credentials",
            reads="--keyring= --ca-file= --cert-file= --key-file=",
            writes="-d= --destination= --untardir= --untar",
            runs="--insecure-skip-tls-verify --plain-http --password=",
            operands="text",
            refuses=_BY_PLUGIN,
            only_with="-h --help",
        ),
        Program(
            names="package",
            plain_values=True,
            reason="charts are written, and signed by a program",
            options="--version= --app-version=",
            writes="-u --dependency-update -d= --destination=",
            runs="--sign --key= --keyring= --passphrase-file=",
            operands="near",
            only_with="-h --help",
        ),
        Program(
            names="template lint",
            plain_values=True,
            reason="post-renderers are code; a chart from elsewhere decides what the cluster runs",
            options="-g -s= -a= --generate-name --set= --set-string= --set-json= --set-literal= --version= --devel --include-crds --is-upgrade --kube-version= --no-hooks --show-only= --skip-crds --skip-tests --validate --api-versions= --release-name --name-template= --strict --quiet --with-subcharts --dry-run?",
            reads="-f= --values= --set-file= --keyring= --ca-file= --cert-file= --key-file=",
            checks=(("-f= --values= --set-file=", _VALUES),),
            writes="--output-dir= --dependency-update",
            runs="--repo=",
            operands="own",
            trees="*",
            refuses=_CHART_ELSEWHERE,
        ),
    ),
)
