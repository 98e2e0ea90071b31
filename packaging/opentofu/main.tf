# Keeps the objects of objects.yaml in Sallyport, for OpenTofu 1.6 and Terraform 1.4 or newer.
# It needs no provider: `sallyport apply` compares, and makes all changes in one transaction.

terraform {
  required_version = ">= 1.4"
}

variable "file" {
  description = "The file with the wanted objects."
  type        = string
  default     = "objects.yaml"
}

variable "key_file" {
  description = "A file with ID:SECRET of an access key. The secret itself is not in the state."
  type        = string
}

variable "server" {
  description = "Address of the console."
  type        = string
  default     = "http://127.0.0.1:8080"
}

variable "organization" {
  description = "Id of an organization. Empty: the one of the key's owner."
  type        = string
  default     = ""
}

variable "command" {
  description = "The program sallyport."
  type        = string
  default     = "sallyport"
}

# A changed file is applied. Values come from the environment, so none is part of the command line.
resource "terraform_data" "objects" {
  triggers_replace = [filesha256(var.file), var.server, var.organization]

  provisioner "local-exec" {
    command = <<-EOT
      set -- apply --file="$OBJECTS" --key="$KEY" --server="$SERVER" --yes
      "$PROGRAM" "$@" $${ORGANIZATION:+--organization="$ORGANIZATION"}
    EOT
    environment = {
      PROGRAM      = var.command
      OBJECTS      = var.file
      KEY          = var.key_file
      SERVER       = var.server
      ORGANIZATION = var.organization
    }
  }
}
