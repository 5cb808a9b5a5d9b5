# A template: replace OWNER and the checksum (`curl -L URL | shasum -a 256`) after a release, and put it into a tap.
class Drover < Formula
  desc "Runs coding agents and checks what they say"
  homepage "https://github.com/OWNER/drover"
  url "https://github.com/OWNER/drover/releases/download/v0.2.0/drover-0.2.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "node@24"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    generate_completions_from_executable(bin/"drover", "completion")
  end

  test do
    assert_match "built-in demo agent", shell_output("#{bin}/drover --demo hello")
  end
end
