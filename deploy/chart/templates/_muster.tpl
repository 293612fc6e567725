{{- /* The labels of every object. The release is one of them: two releases in a namespace keep apart. */ -}}
{{- define "muster.labels" -}}
app.kubernetes.io/name: muster, app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
{{- /* Texts by name, in one line. Kubernetes refuses a number or a switch where it wants text, so each becomes text. */ -}}
{{- define "muster.texts" -}}
{ {{- range $name, $value := . }}
{{- if kindIs "string" $value }} {{ $name | quote }}: {{ $value | quote }},
{{- else if not (kindIs "invalid" $value) }} {{ $name | quote }}: {{ toJson $value | quote }},
{{- end }}
{{- end }} }
{{- end }}
