{{- define "leafid.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "leafid.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "leafid.labels" -}}
{{ include "leafid.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "leafid.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "leafid.isSqlite" -}}
{{- if eq .Values.store.kind "sqlite" }}true{{ end -}}
{{- end -}}

{{- define "leafid.scheme" -}}
{{- if .Values.tls.secretName }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}

{{/* leafid.toml: what the chart knows, and what the values say above it. */}}
{{- define "leafid.config" -}}
{{- $own := dict -}}
{{- if include "leafid.isSqlite" . -}}
{{- $_ := set $own "store" "sqlite:/var/lib/leafid/leafid.db" -}}
{{- end -}}
{{- if .Values.journal.enabled -}}
{{- $_ := set $own "journal" "/var/lib/leafid-journal" -}}
{{- else -}}
{{- $_ := set $own "no-journal" true -}}
{{- end -}}
{{- if .Values.createStore -}}
{{- $_ := set $own "create" true -}}
{{- end -}}
{{- if or .Values.tags .Values.namespaces -}}
{{- $_ := set $own "apply" "/etc/leafid/tags.json" -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $own "tls-cert" "/etc/leafid-tls/tls.crt" -}}
{{- $_ := set $own "tls-key" "/etc/leafid-tls/tls.key" -}}
{{- end -}}
{{- if .Values.tokens.secretName -}}
{{- $_ := set $own "tokens" (printf "/etc/leafid-tokens/%s" .Values.tokens.key) -}}
{{- end -}}
{{- if .Values.insecure -}}
{{- $name := include "leafid.name" . -}}
{{- $local := printf "%s.%s" $name .Release.Namespace -}}
{{- $_ := set $own "insecure" (list "api") -}}
{{- $_ := set $own "allow-host" (list $name $local (printf "%s.svc" $local) (printf "%s.svc.cluster.local" $local)) -}}
{{- end -}}
{{- /* A value as JSON is one of TOML, too; `toToml` would make 1000 a 1000.0. */ -}}
{{- range $key, $value := merge (deepCopy .Values.config) $own }}
{{ $key }} = {{ $value | toJson }}
{{- end -}}
{{- end -}}

{{/* tags.json, which `leafid apply` reads as well as TOML: a whole number stays one on its way. */}}
{{- define "leafid.tags" -}}
{{- $wanted := dict -}}
{{- with .Values.tags }}{{ $_ := set $wanted "tags" . }}{{ end -}}
{{- with .Values.namespaces }}{{ $_ := set $wanted "namespaces" . }}{{ end -}}
{{- $wanted | toPrettyJson -}}
{{- end -}}

{{- define "leafid.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "leafid.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The pod of a server. */}}
{{- define "leafid.pod" -}}
metadata:
  labels:
    {{- include "leafid.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    checksum/config: {{ printf "%s%s" (include "leafid.config" .) (include "leafid.tags" .) | sha256sum }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 30
  securityContext:
    {{- include "leafid.podSecurityContext" . | nindent 4 }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  containers:
    - name: leafid
      image: {{ include "leafid.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve, --config, /etc/leafid/leafid.toml]
      env:
        {{- if include "leafid.isSqlite" . }}
        # The image's own, which would count before the file.
        - name: LEAFID_STORE
          value: ""
        {{- else }}
        - name: LEAFID_STORE
          valueFrom:
            secretKeyRef:
              name: {{ required "store.secretName: a database needs the name of the secret that has its URL" .Values.store.secretName }}
              key: {{ .Values.store.secretKey }}
        {{- end }}
        - name: LEAFID_JOURNAL
          value: ""
        {{- with .Values.env }}{{ toYaml . | nindent 8 }}{{ end }}
      ports:
        - name: http
          containerPort: 8750
      startupProbe:
        httpGet: { path: /healthz, port: http, scheme: {{ include "leafid.scheme" . }}, httpHeaders: [{ name: Host, value: {{ include "leafid.name" . }} }] }
        periodSeconds: 1
        failureThreshold: 60
      # Whether leases can be had decides about traffic, not about a restart: what is away is the
      # database, and others still have IDs at hand.
      readinessProbe:
        httpGet: { path: /readyz, port: http, scheme: {{ include "leafid.scheme" . }}, httpHeaders: [{ name: Host, value: {{ include "leafid.name" . }} }] }
        periodSeconds: 5
        timeoutSeconds: 3
      livenessProbe:
        httpGet: { path: /healthz, port: http, scheme: {{ include "leafid.scheme" . }}, httpHeaders: [{ name: Host, value: {{ include "leafid.name" . }} }] }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "leafid.securityContext" . | nindent 8 }}
      volumeMounts:
        - { name: config, mountPath: /etc/leafid, readOnly: true }
        {{- if include "leafid.isSqlite" . }}
        - { name: data, mountPath: /var/lib/leafid }
        {{- end }}
        {{- if .Values.journal.enabled }}
        - { name: journal, mountPath: /var/lib/leafid-journal }
        {{- end }}
        {{- if .Values.tls.secretName }}
        - { name: tls, mountPath: /etc/leafid-tls, readOnly: true }
        {{- end }}
        {{- if .Values.tokens.secretName }}
        - { name: tokens, mountPath: /etc/leafid-tokens, readOnly: true }
        {{- end }}
        {{- with .Values.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    - name: config
      configMap: { name: {{ include "leafid.name" . }} }
    {{- with .Values.tls.secretName }}
    - name: tls
      secret: { secretName: {{ . }}, defaultMode: 0440 }
    {{- end }}
    {{- with .Values.tokens.secretName }}
    - name: tokens
      # A file that others can read is refused.
      secret: { secretName: {{ . }}, defaultMode: 0440 }
    {{- end }}
    {{- with .Values.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
